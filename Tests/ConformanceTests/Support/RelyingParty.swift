import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

/// The client of a plan: it knows what it is registered with, sends people to the server, and looks hard at what comes back.
struct RelyingParty: Sendable {
  /// How it says to the server that it is itself.
  enum Authentication: Sendable {
    case none
    case basic(String)
    case post(String)
    case key(TestSigningKey)
  }

  let site: Site
  let id: String
  var authentication: Authentication
  var redirectURI: String
  /// The algorithm of its ID tokens.
  var algorithm: String

  /// A code request with every standard parameter that the plans do not vary. PKCE is no part of them but where a case says so.
  var request: AuthorizeParameters {
    AuthorizeParameters(.web).with("client_id", self.id).with("redirect_uri", self.redirectURI)
      .with("code_challenge", nil).with("code_challenge_method", nil)
  }

  /// A browser that nobody is signed in with.
  func browser() -> TestBrowser { TestBrowser(self.site) }

  /// What one sign-in gave.
  struct SignIn: Sendable {
    let code: String
    let answer: [String: String]
    let tokens: [String: String]
    let idToken: IDToken
    var accessToken: String { self.tokens["access_token"] ?? "" }
    var refreshToken: String { self.tokens["refresh_token"] ?? "" }
  }

  /// The whole way of a request that must succeed: the person signs in and agrees where asked, the code is redeemed, and the ID token
  /// is verified with the server's published keys.
  @discardableResult
  func signIn(
    _ request: AuthorizeParameters? = nil, with browser: TestBrowser? = nil, verifier: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> SignIn {
    let request = request ?? self.request
    let reply = try await (browser ?? self.browser()).complete(request)
    return try await self.receive(reply, to: request, verifier: verifier, sourceLocation: sourceLocation)
  }

  /// What comes back to the redirect URI for a request that must succeed.
  func receive(
    _ reply: Reply, to request: AuthorizeParameters, verifier: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> SignIn {
    let answer = reply.answer
    #expect(reply.location?.hasPrefix(self.redirectURI) == true, sourceLocation: sourceLocation)
    #expect(answer["state"] == request["state"], sourceLocation: sourceLocation)
    #expect(answer["iss"] == self.site.issuer.value, sourceLocation: sourceLocation)
    #expect(answer["error"] == nil, sourceLocation: sourceLocation)
    let code = try #require(answer["code"], "no code: \(reply.status) \(answer)", sourceLocation: sourceLocation)
    let tokens = try await self.redeem(code, changing: verifier.map { ["code_verifier": $0] } ?? [:])
    #expect(tokens.status == .ok, "\(tokens.body)", sourceLocation: sourceLocation)
    let idToken = try await IDToken.verified(
      try #require(tokens.json["id_token"], sourceLocation: sourceLocation), for: self, accessToken: tokens.json["access_token"],
      sourceLocation: sourceLocation)
    #expect(idToken.nonce == request["nonce"], sourceLocation: sourceLocation)
    return SignIn(code: code, answer: answer, tokens: tokens.json, idToken: idToken)
  }

  /// The redemption of a code; `changes` makes it wrong, with nil for a parameter that is left out.
  func redeem(_ code: String, changing changes: [String: String?] = [:], proof: String? = nil) async throws -> Reply {
    try await self.token(
      ["grant_type": "authorization_code", "code": code, "redirect_uri": self.redirectURI], changing: changes, proof: proof)
  }

  func refresh(_ token: String, changing changes: [String: String?] = [:], proof: String? = nil) async throws -> Reply {
    try await self.token(["grant_type": "refresh_token", "refresh_token": token], changing: changes, proof: proof)
  }

  private func token(_ fields: [String: String], changing changes: [String: String?], proof: String?) async throws -> Reply {
    try await self.post("/token", fields, changing: changes, proof: proof)
  }

  /// A post of this client to an endpoint where it authenticates.
  func post(
    _ path: String, _ fields: [String: String], changing changes: [String: String?] = [:], proof: String? = nil
  ) async throws -> Reply {
    var fields = fields
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    switch self.authentication {
    case .none: fields["client_id"] = self.id
    case .basic(let secret):
      func encoded(_ text: String) -> String { String(FormParameters.encode([("", text)]).dropFirst()) }
      headers[.authorization] = "Basic " + Data("\(encoded(self.id)):\(encoded(secret))".utf8).base64EncodedString()
    case .post(let secret):
      fields["client_id"] = self.id
      fields["client_secret"] = secret
    case .key(let key):
      fields["client_assertion_type"] = Site.assertionType
      fields["client_assertion"] = try jwt(key, self.assertionClaims)
    }
    for (name, value) in changes { fields[name] = value }
    headers[.dpop] = proof
    let form = FormParameters.encode(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    return try await self.site.send(.post, path, headers: headers, body: Array(form.utf8))
  }

  /// The claims of an assertion that is right.
  var assertionClaims: [String: JSONValue] {
    [
      "iss": .string(self.id), "sub": .string(self.id), "aud": .string(self.site.issuer.value),
      "exp": .integer(self.site.now + 60), "iat": .integer(self.site.now), "jti": .string(UUID().uuidString),
    ]
  }
}
