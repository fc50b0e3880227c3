package import HTTPTypes
package import SallyportProtocol
package import SallyportRemote
import Synchronization
import TestSupport

/// Imitates the servers of a provider, with the provider's deviations from the specifications. As a transport, it
/// responds in memory to requests to the provider's URLs.
package final class QuirkServer: Transport {
  struct State {
    /// The authorization requests whose codes have not been exchanged, by code.
    var codes: [String: FormParameters] = [:]
    /// The sign-ins on other devices, by device code.
    var devices: [String: DeviceAttempt] = [:]
    /// All grants, by number.
    var grants: [Int: Grant] = [:]
    /// The last number that was used in a string of ``QuirkServer/unique(_:)`` or as the number of a grant.
    var counter = 0
    var requests: [String] = []
    var authorizations: [FormParameters] = []
    var simulatedFailure: SimulatedFailure?
    /// The lifetime of new access tokens in seconds, or `nil` for the provider's usual lifetime.
    var lifetime: Int?
  }

  package let provider: QuirkyProvider
  /// The prefix that replaces `https://` in the provider's URLs: `https://host/path` becomes the prefix and
  /// `host/path`.
  let base: String
  let key: TestSigningKey
  let now: TimeSource
  let state = Mutex(State())

  /// - Parameters:
  ///   - base: The prefix that replaces `https://` in the provider's URLs.
  ///   - now: Returns the current time.
  package init(_ provider: QuirkyProvider, base: String = "https://", now: @escaping TimeSource) throws {
    self.provider = provider
    self.base = base
    self.now = now
    self.key = try .rsa(id: "key-1")
  }

  /// The received requests, each as its method and its URL without the query.
  package var requests: [String] { self.state.withLock { $0.requests } }

  /// The authorization requests, oldest first.
  package var authorizations: [FormParameters] { self.state.withLock { $0.authorizations } }

  /// Returns the name of the API for which a refresh issued an access token. Returns `nil` if it is the API of the
  /// sign-in, or if the token is unknown.
  package func api(of accessToken: String) -> String? {
    self.state.withLock { $0.grants.values.lazy.compactMap { $0.otherAccessTokens[accessToken] }.first }
  }

  package func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
    let parts = url.split(separator: "?", maxSplits: 1)
    let endpoint = String(parts.first ?? "")
    self.state.withLock { $0.requests.append("\(request.method) \(endpoint)") }
    let query: Substring = parts.dropFirst().first ?? ""
    guard let form = try? FormParameters(parsing: request.method == .get ? query : self.text(body)) else {
      return .text("The request cannot be read.", status: .badRequest)
    }
    return self.response(to: request, at: endpoint, form)
  }

  private func text(_ body: [UInt8]) -> Substring { Substring(String(decoding: body, as: UTF8.self)) }

  private func response(to request: HTTPRequest, at endpoint: String, _ form: FormParameters) -> TransportResponse {
    if case .unavailable(let status) = self.simulatedFailure {
      return .text("Try again later.", status: HTTPResponse.Status(code: status))
    }
    let endpoints = self.provider.endpoints
    switch (request.method, endpoint) {
    case (.get, endpoints.metadata): return self.json(self.provider.metadata ?? [:])
    case (.get, endpoints.keys): return self.json(self.keySet)
    case (.get, endpoints.authorization): return self.authorize(form)
    case (.post, endpoints.token): return self.token(request, form)
    case (.post, endpoints.device): return self.startDevice(request, form)
    case (.post, endpoints.revocation): return self.revoke(request, form)
    case (let method, self.provider.api.url) where method.rawValue == self.provider.api.method:
      return self.apiResponse(to: request)
    default: return .body(Array("<html>Not found</html>".utf8), type: "text/html", status: .notFound)
    }
  }

  private var keySet: JSONValue {
    var jwk = self.key.jwk
    for (name, value) in self.provider.keyMembers { jwk[name] = value }
    return ["keys": [jwk]]
  }

  private func apiResponse(to request: HTTPRequest) -> TransportResponse {
    let authorization = request.headerFields[.authorization] ?? ""
    let isValid = self.state.withLock { state in
      state.grants.values.contains { !$0.isRevoked && authorization == "Bearer \($0.accessToken)" }
    }
    return isValid ? self.json(self.provider.api.response) : .text("The token is not valid.", status: .unauthorized)
  }

  // MARK: Responses

  func json(_ value: JSONValue, status: Int = 200) -> TransportResponse {
    .json(encoding: self.replacingProviderURLs(in: value), status: HTTPResponse.Status(code: status))
  }

  func failure(_ failure: Failure) -> TransportResponse {
    self.failure(self.provider.errorResponse(failure))
  }

  func failure(_ response: ErrorResponse) -> TransportResponse {
    self.json(response.body, status: response.status)
  }

  /// Returns the JSON value with the provider's URLs replaced by the URLs of this server.
  func replacingProviderURLs(in value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text) where text.hasPrefix("https://"): .string(self.base + text.dropFirst("https://".count))
    case .object(let members): .object(members.mapValues(self.replacingProviderURLs))
    case .array(let values): .array(values.map(self.replacingProviderURLs))
    default: value
    }
  }

  /// Returns a string that no other call returns.
  func unique(_ prefix: String) -> String {
    self.state.withLock { state in
      state.counter += 1
      return "\(prefix)-\(self.provider.name.lowercased().filter(\.isLetter))-\(state.counter)"
    }
  }
}
