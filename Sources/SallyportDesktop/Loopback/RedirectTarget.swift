import Sallyport
package import SallyportProtocol

/// A redirect URI, split into parts that are compared with incoming requests (rule C-18).
package struct RedirectTarget: Sendable {
  let redirectURI: RedirectURI
  /// The redirect URI without its query.
  private let base: Substring
  private let authority: String
  /// Whether the port is 80, which browsers omit in the `Host` field.
  private let isDefaultPort: Bool
  private let host: String
  private let path: String
  private let query: String?

  package init(_ redirectURI: RedirectURI) {
    let parts = redirectURI.components
    self.redirectURI = redirectURI
    self.base = redirectURI.value.prefix { $0 != "?" }
    self.authority = parts.authority ?? ""
    self.isDefaultPort = parts.port == 80
    self.host = parts.host ?? ""
    self.path = parts.path.isEmpty ? "/" : parts.path
    self.query = parts.query.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The full URL of a request for exactly this redirect URI, or the reason for rejecting the request.
  package func callbackURL(of head: RequestHead) -> Result<String, RejectedRequest> {
    guard head.method == "GET" else { return .failure(RejectedRequest(.wrongMethod)) }
    guard head.host == self.authority || (self.isDefaultPort && head.host == self.host) else {
      return .failure(RejectedRequest(.wrongHost))
    }
    guard !head.hasBody else { return .failure(RejectedRequest(.malformed)) }
    guard head.path == self.path, let query = head.query else { return .failure(RejectedRequest(.notFound)) }
    // The server appends its parameters to the redirect URI's own query.
    if let fixedQuery = self.query, !query.hasPrefix("\(fixedQuery)&") { return .failure(RejectedRequest(.notFound)) }
    return .success("\(self.base)?\(query)")
  }
}

/// A rejected request.
package struct RejectedRequest: Error {
  let rejection: RequestRejection

  init(_ rejection: RequestRejection) {
    self.rejection = rejection
  }
}
