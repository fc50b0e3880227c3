import Sallyport
package import SallyportProtocol

/// The redirect URI that was offered, taken apart for comparison with requests (rules C-16 and C-18).
package struct RedirectTarget: Sendable {
  let redirectURI: RedirectURI
  private let base: Substring
  private let authority: String
  /// Port 80 is the one that browsers leave out.
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

  /// The full URL of a request to exactly this redirect URI, or why it is another.
  package func callbackURL(of head: RequestHead) -> Result<String, RefusedRequest> {
    guard head.method == "GET" else { return .failure(RefusedRequest(.wrongMethod)) }
    guard head.host == self.authority || (self.isDefaultPort && head.host == self.host) else {
      return .failure(RefusedRequest(.wrongHost))
    }
    guard !head.hasBody else { return .failure(RefusedRequest(.malformed)) }
    guard head.path == self.path, let query = head.query else { return .failure(RefusedRequest(.notTheAnswer)) }
    if let own = self.query, !query.hasPrefix("\(own)&") { return .failure(RefusedRequest(.notTheAnswer)) }
    return .success("\(self.base)?\(query)")
  }
}

/// A request that is turned away.
package struct RefusedRequest: Error {
  let refusal: Refusal

  init(_ refusal: Refusal) {
    self.refusal = refusal
  }
}
