import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// An OAuth client that does not use the SDK, so that the server is tested independently.
struct HTTPApp: Sendable {
  let client: TestClient
  let transport: any Transport
  let metadata: Metadata

  struct Metadata: Decodable, Sendable {
    var issuer: String
    var authorizationEndpoint: String
    var tokenEndpoint: String
    var userinfoEndpoint: String
    var jwksUri: String
  }

  /// An authorization request that waits for its response.
  struct PendingRequest: Sendable {
    var verifier = CodeVerifier.random()
    var state = RandomText.base64URL()
    var redirectURI: String
    var url = ""
  }

  /// The response of the token endpoint.
  struct TokenResponse: Sendable {
    var status: Int
    var body: Body

    struct Body: Decodable, Sendable {
      var accessToken: String?
      var refreshToken: String?
      var idToken: String?
      var error: String?
    }
  }

  init(_ client: TestClient, at server: ServerHome, transport: any Transport) async throws {
    self.client = client
    self.transport = transport
    let url = try EndpointURL("\(server.issuer)/.well-known/openid-configuration")
    let response = try await transport.send(.get(url), body: [], limits: .document)
    self.metadata = try Self.decode(Metadata.self, from: response.body)
  }

  /// Creates an authorization request with a new verifier and state.
  func begin(redirectURI: String? = nil) throws -> PendingRequest {
    var pending = PendingRequest(redirectURI: redirectURI ?? self.client.redirectURIs[0])
    pending.url = try EndpointURL(self.metadata.authorizationEndpoint).appending(query: [
      ("response_type", "code"), ("client_id", self.client.id), ("redirect_uri", pending.redirectURI),
      ("scope", "openid offline_access"), ("state", pending.state),
      ("code_challenge", pending.verifier.challenge.value), ("code_challenge_method", "S256"),
    ])
    return pending
  }

  /// Checks the state and the issuer in the URL to which the browser was redirected, and returns the code in that URL.
  func code(in location: String, for pending: PendingRequest) throws -> String {
    let query = try FormParameters(parsing: location.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" })
    guard query["state"] == pending.state, query["iss"] == self.metadata.issuer, let code = query["code"] else {
      throw UnexpectedResult("no code, or an unexpected state or issuer, in \(location)")
    }
    return code
  }

  func redeem(_ code: String, for pending: PendingRequest) async throws -> TokenResponse {
    try await self.token([
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", pending.redirectURI),
      ("client_id", self.client.id), ("code_verifier", pending.verifier.text.reveal()),
    ])
  }

  func refresh(_ token: String) async throws -> TokenResponse {
    try await self.token([("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", self.client.id)])
  }

  /// Requests user information with an access token, and returns the status of the response.
  func userinfoStatus(_ accessToken: String) async throws -> Int {
    var request = HTTPRequest.get(try EndpointURL(self.metadata.userinfoEndpoint))
    request.headerFields[.authorization] = "Bearer \(accessToken)"
    return try await self.transport.send(request, body: [], limits: .document).head.status.code
  }

  /// Returns the identifiers of the keys that the server publishes.
  func publishedKeys() async throws -> [String] {
    struct Keys: Decodable {
      struct Key: Decodable { var kid: String }
      var keys: [Key]
    }
    let response = try await self.transport.send(.get(EndpointURL(self.metadata.jwksUri)), body: [], limits: .document)
    return try Self.decode(Keys.self, from: response.body).keys.map(\.kid)
  }

  private func token(_ form: [(name: String, value: String)]) async throws -> TokenResponse {
    let request = HTTPRequest.post(form: try EndpointURL(self.metadata.tokenEndpoint))
    let response = try await self.transport.send(request, body: Array(FormParameters.encode(form).utf8), limits: .document)
    return TokenResponse(
      status: response.head.status.code, body: try Self.decode(TokenResponse.Body.self, from: response.body))
  }

  private static func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return try decoder.decode(type, from: Data(bytes))
    } catch {
      throw UnexpectedResult("not \(type): \(String(decoding: bytes, as: UTF8.self))")
    }
  }
}
