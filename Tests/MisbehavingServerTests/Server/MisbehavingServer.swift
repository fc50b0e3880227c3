#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import Hummingbird
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import SocketTestSupport
import Synchronization
import TestSupport

/// An authorization server with real sockets and TLS. It is correct except for what its ``Behavior`` changes.
final class MisbehavingServer: Sendable {
  struct State {
    /// `nil` until the server listens, because the issuer's URL contains the port.
    var issuer: TestIssuer?
    /// The parameters of the last authorization request.
    var request: FormParameters?
    var tokenRequests: [FormParameters] = []
    var strayRequests: [String] = []
  }

  let behavior: Behavior
  let state = Mutex(State())
  /// Opens when the test ends. Stalled responses wait for it before they end.
  private let end = Gate()

  private init(_ behavior: Behavior) {
    self.behavior = behavior
  }

  /// The forms that the token endpoint received.
  var tokenRequests: [FormParameters] { self.state.withLock { $0.tokenRequests } }
  /// The requests to `/stolen`, the target of redirects that a client must not follow.
  var strayRequests: [String] { self.state.withLock { $0.strayRequests } }

  /// Runs a server while `body` runs. The transport that is passed to `body` trusts the server's root certificate.
  static func run(
    _ behavior: Behavior,
    _ body: @escaping @Sendable (MisbehavingServer, Issuer, AsyncHTTPClientTransport) async throws -> Void
  ) async throws {
    let server = MisbehavingServer(behavior)
    let certificates = try TestCertificates()
    try await withServer(tls: certificates.server) {
      server.addRoutes(to: $0)
    } _: { port in
      let issuer = try TestIssuer("https://localhost:\(port)")
      server.state.withLock { $0.issuer = issuer }
      try await certificates.withTrustRoots { roots in
        try await AsyncHTTPClientTransport.withTransport(trustRoots: [roots]) { transport in
          defer { server.end.open() }
          try await body(server, issuer.issuer, transport)
        }
      }
    }
  }

  private func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("/.well-known/openid-configuration") { _, _ in try self.metadata().response(until: self.end) }
    router.get("/jwks") { _, _ in try self.keySet().response(until: self.end) }
    router.get("/authorize") { request, _ in try self.authorize(request).response(until: self.end) }
    router.post("/token") { request, _ in
      let body = try await request.body.collect(upTo: 64 << 10)
      return try self.tokens(FormParameters(parsing: String(buffer: body))).response(until: self.end)
    }
    router.get("/userinfo") { _, _ in try self.userinfo().response(until: self.end) }
    for method in [HTTPRequest.Method.get, .post] {
      router.on("/stolen", method: method) { request, _ in
        self.state.withLock { $0.strayRequests.append("\(request.method) \(request.uri)") }
        return try ServerResponse.json(["issuer": "https://evil.example"]).response(until: self.end)
      }
    }
  }

  // MARK: The endpoints

  private func metadata() throws -> ServerResponse {
    let issuer = try self.issuer()
    var document = try JSONText.value(of: issuer.metadata)
    if let response = self.behavior.metadata(&document, issuer.issuer.value) { return response }
    return .json(document)
  }

  private func keySet() throws -> ServerResponse {
    let issuer = try self.issuer()
    var keys = TestIssuer.jwks([issuer.es256, issuer.rs256])
    if let response = self.behavior.keySet(&keys) { return response }
    return .json(keys)
  }

  private func authorize(_ request: Request) throws -> ServerResponse {
    let parameters = try FormParameters(parsing: request.uri.query ?? "")
    self.state.withLock { $0.request = parameters }
    var response = [
      (name: "code", value: "code-1"), (name: "state", value: parameters["state"] ?? ""),
      (name: "iss", value: try self.issuer().issuer.value),
    ]
    self.behavior.authorizationResponse(&response)
    return .redirect(to: "\(parameters["redirect_uri"] ?? "")?\(FormParameters.encode(response))")
  }

  private func tokens(_ form: FormParameters) throws -> ServerResponse {
    let number = self.state.withLock { state in
      state.tokenRequests.append(form)
      return state.tokenRequests.count
    }
    if number <= self.behavior.tokenErrorResponses.count { return self.behavior.tokenErrorResponses[number - 1] }
    var body: JSONValue = [
      "access_token": "access-1", "token_type": "Bearer", "expires_in": 600, "refresh_token": "refresh-1",
    ]
    body["id_token"] = try self.idToken().map { .string($0) }
    if let response = self.behavior.tokens(&body) { return response }
    return .json(body)
  }

  private func userinfo() throws -> ServerResponse {
    var body: JSONValue = ["sub": "ada", "name": "Ada"]
    if let response = self.behavior.userinfo(&body) { return response }
    return .json(body)
  }

  // MARK: Values for the responses

  private func idToken() throws -> String? {
    let issuer = try self.issuer()
    let nonce = self.state.withLock { $0.request?["nonce"] }
    var claims = issuer.claims(clientID: "notes", nonce: nonce, now: Timestamp.now())
    self.behavior.claims(&claims)
    return self.behavior.idToken(
      try issuer.token(claims, key: self.behavior.key(), header: self.behavior.header).reveal())
  }

  private func issuer() throws -> TestIssuer {
    guard let issuer = self.state.withLock({ $0.issuer }) else { throw HTTPError(.serviceUnavailable) }
    return issuer
  }
}
