import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import Synchronization
import TestSupport

/// A simulated authorization server, and the store, clock, and transport of its clients.
struct SignInFixture: Sendable {
  let server: TestIssuer
  let transport = FakeTransport()
  let store = MemoryTokenStore()
  let clock = TestClock()
  let clientID = "notes"

  static let issuer = "https://id.example"
  static let callback = "http://127.0.0.1:49152/oauth2redirect/id.example"
  static let tokenURL = "https://id.example/token"
  static let revokeURL = "https://id.example/revoke"
  static let userinfoURL = "https://id.example/userinfo"
  static let oauthMetadataURL = "https://id.example/.well-known/oauth-authorization-server"

  init(change: (inout TestIssuer) -> Void = { _ in }) throws {
    var server = try TestIssuer(Self.issuer)
    change(&server)
    server.publish(on: self.transport)
    self.server = server
  }

  /// Creates a client. Two clients with the same store behave like two processes.
  func client(tokenOrigins: [String] = [], account: String? = nil, store: MemoryTokenStore? = nil) throws -> OAuthClient {
    OAuthClient(
      issuer: self.server.issuer, clientID: self.clientID, store: store ?? self.store, transport: self.transport,
      appName: "Notes",
      account: account, tokenOrigins: try tokenOrigins.map { try EndpointURL($0) }, now: self.clock.dates)
  }

  /// Returns the callback URL of a valid response to a request.
  static func response(to request: FormParameters, code: String = "code-1", iss: String? = Self.issuer) -> String {
    var parameters = [(name: "code", value: code), (name: "state", value: request["state"] ?? "")]
    if let iss { parameters.append((name: "iss", value: iss)) }
    return "\(Self.callback)?\(FormParameters.encode(parameters))"
  }

  /// Returns a user who allows the request.
  func browser() throws -> FakeBrowser {
    try FakeBrowser { [Self.response(to: $0)] }
  }

  /// Makes the token endpoint return tokens, with the nonce of the user's last authorization request in the ID token.
  /// - Parameters:
  ///   - expiresIn: The lifetime of the access token in seconds.
  ///   - change: Changes the claims of the ID token.
  func grantTokens(
    to user: FakeBrowser, access: String = "access-1", refresh: String? = "refresh-1", expiresIn: Int = 600,
    change: @escaping @Sendable (inout JSONValue) -> Void = { _ in }
  ) {
    self.transport.on(Self.tokenURL) { _ in
      let query = user.opened.last?.split(separator: "?", maxSplits: 1).last ?? ""
      let nonce = (try? FormParameters(parsing: query))?["nonce"]
      var claims = self.server.claims(clientID: self.clientID, nonce: nonce, now: self.clock.now)
      change(&claims)
      let idToken = try? self.server.token(claims)
      return .success(Self.tokens(access, refresh: refresh, expiresIn: expiresIn, idToken: idToken))
    }
  }

  /// Makes the token endpoint return tokens, with this nonce in the ID token.
  func grantTokens(nonce: String?, access: String = "access-1") {
    self.transport.on(Self.tokenURL) { _ in
      let idToken = try? self.server.token(self.server.claims(clientID: self.clientID, nonce: nonce, now: self.clock.now))
      return .success(Self.tokens(access, refresh: "refresh-1", idToken: idToken))
    }
  }

  /// Returns a token response.
  static func tokens(
    _ access: String, refresh: String?, expiresIn: Int? = 600, idToken: Secret<String>? = nil
  ) -> TransportResponse {
    .json(
      encoding: TokenResponseJSON(
        TokenResponse(
          accessToken: Secret(access), expiresIn: expiresIn, refreshToken: refresh.map { Secret($0) }, idToken: idToken)))
  }

  /// Returns an error response.
  static func error(_ code: String, description: String? = nil, status: HTTPResponse.Status = .badRequest) -> TransportResponse {
    .json(encoding: OAuthErrorJSON(error: OAuthErrorCode(code), description: description), status: status)
  }

  /// Signs in, and returns a session with the access token `access-1`, which expires in ten minutes.
  /// - Parameter refresh: The refresh token, or `nil` if the server issues none.
  func signIn(refresh: String? = "refresh-1", tokenOrigins: [String] = []) async throws -> OAuthSession {
    let user = try self.browser()
    self.grantTokens(to: user, refresh: refresh)
    return try await self.client(tokenOrigins: tokenOrigins).signIn(
      scopes: [.openID, .offlineAccess], via: user, receiver: user)
  }

  var tokenRequests: [FakeTransport.RecordedRequest] { self.transport.requests(to: Self.tokenURL) }
}
