import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// The client of a test plan. It sends users to the server and validates the responses to a sign-in.
struct RelyingParty: Sendable {
  /// How the client authenticates.
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
  /// The algorithm with which the server signs the client's ID tokens.
  var algorithm: String
  /// The requested response mode. The request contains no `response_mode` for `query`, which is the default.
  var responseMode = ResponseMode.query

  /// A valid authorization request without PKCE. Tests of modules that require PKCE add its parameters.
  var request: AuthorizeParameters {
    AuthorizeParameters(.web).with("client_id", self.id).with("redirect_uri", self.redirectURI)
      .with("code_challenge", nil).with("code_challenge_method", nil)
      .with("response_mode", self.responseMode == .query ? nil : self.responseMode.rawValue)
  }

  /// Returns the client with another response mode.
  func receiving(by mode: ResponseMode) -> RelyingParty {
    var party = self
    party.responseMode = mode
    return party
  }

  /// Returns a browser in which no user is signed in.
  func browser() -> TestBrowser { TestBrowser(self.site) }

  /// The result of one sign-in.
  struct SignIn: Sendable {
    let code: String
    let parameters: [String: String]
    let tokens: [String: String]
    let idToken: IDToken
    var accessToken: String { self.tokens["access_token"] ?? "" }
    var refreshToken: String { self.tokens["refresh_token"] ?? "" }
  }

  /// Runs a request that must succeed. The user signs in and consents if the server asks, and the client redeems the
  /// code and verifies the ID token with the server's published keys.
  /// - Parameters:
  ///   - request: The request, or `nil` for ``request``.
  ///   - browser: The user's browser, or `nil` for a browser in which no user is signed in.
  ///   - verifier: The code verifier, if the request uses PKCE.
  @discardableResult
  func signIn(
    _ request: AuthorizeParameters? = nil, with browser: TestBrowser? = nil, verifier: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> SignIn {
    let request = request ?? self.request
    let reply = try await (browser ?? self.browser()).complete(request)
    return try await self.receive(reply, to: request, verifier: verifier, sourceLocation: sourceLocation)
  }

  /// Returns the parameters of the authorization response, and checks that it is sent to the redirect URI in the
  /// client's response mode.
  func response(_ reply: Reply, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: String] {
    switch self.responseMode {
    case .query:
      #expect(reply.status == .seeOther, sourceLocation: sourceLocation)
      #expect(reply.location?.hasPrefix(self.redirectURI) == true, sourceLocation: sourceLocation)
      return reply.parameters
    case .formPost:
      let page = try #require(FormPostPage(reply), "not a form: \(reply.status) \(reply.body)", sourceLocation: sourceLocation)
      #expect(page.action == self.redirectURI && reply.location == nil, sourceLocation: sourceLocation)
      // Form Post Response Mode §4.
      #expect(reply.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
      return page.fields
    }
  }

  /// Checks that a response is an error response with this error code, the request's state, and the issuer, and without
  /// an authorization code.
  func expectError(
    _ reply: Reply, _ code: String, _ request: AuthorizeParameters, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let response = try self.response(reply, sourceLocation: sourceLocation)
    #expect(response["error"] == code, sourceLocation: sourceLocation)
    #expect(response["state"] == request["state"] && response["iss"] == self.site.issuer.value, sourceLocation: sourceLocation)
    #expect(response["code"] == nil, sourceLocation: sourceLocation)
  }

  /// Validates the response to a request that must succeed, and redeems its code.
  func receive(
    _ reply: Reply, to request: AuthorizeParameters, verifier: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> SignIn {
    let response = try self.response(reply, sourceLocation: sourceLocation)
    #expect(response["state"] == request["state"], sourceLocation: sourceLocation)
    #expect(response["iss"] == self.site.issuer.value, sourceLocation: sourceLocation)
    #expect(response["error"] == nil, sourceLocation: sourceLocation)
    let code = try #require(response["code"], "no code: \(reply.status) \(response)", sourceLocation: sourceLocation)
    let tokens = try await self.redeem(code, changing: verifier.map { ["code_verifier": $0] } ?? [:])
    #expect(tokens.status == .ok, "\(tokens.body)", sourceLocation: sourceLocation)
    let idToken = try await IDToken.verified(
      try #require(tokens.json["id_token"], sourceLocation: sourceLocation), for: self, accessToken: tokens.json["access_token"],
      sourceLocation: sourceLocation)
    #expect(idToken.nonce == request["nonce"], sourceLocation: sourceLocation)
    return SignIn(code: code, parameters: response, tokens: tokens.json, idToken: idToken)
  }

  /// Redeems a code. A member of `changes` replaces a parameter of the request, or removes it if the member is `nil`.
  func redeem(_ code: String, changing changes: [String: String?] = [:], proof: String? = nil) async throws -> Reply {
    try await self.redeem(code, changing: changes, proofs: proof.map { [$0] } ?? [])
  }

  /// Redeems a code with any number of `DPoP` fields.
  func redeem(_ code: String, changing changes: [String: String?], proofs: [String]) async throws -> Reply {
    let fields = ["grant_type": "authorization_code", "code": code, "redirect_uri": self.redirectURI]
    return try await self.post("/token", fields, changing: changes, proofs: proofs)
  }

  func refresh(_ token: String, changing changes: [String: String?] = [:], proof: String? = nil) async throws -> Reply {
    let fields = ["grant_type": "refresh_token", "refresh_token": token]
    return try await self.post("/token", fields, changing: changes, proofs: proof.map { [$0] } ?? [])
  }

  /// Sends a form to an endpoint at which the client authenticates.
  func post(
    _ path: String, _ fields: [String: String], changing changes: [String: String?] = [:], proofs: [String] = []
  ) async throws -> Reply {
    var fields = fields
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    switch self.authentication {
    case .none: fields["client_id"] = self.id
    case .basic(let secret):
      // RFC 6749 §2.3.1: the identifier and the secret are form-encoded. A parameter without a name is encoded as `=`
      // and its value.
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
    for proof in proofs { headers.append(HTTPField(name: .dpop, value: proof)) }
    let form = FormParameters.encode(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    return try await self.site.send(.post, path, headers: headers, body: Array(form.utf8))
  }

  /// The claims of a valid client assertion.
  var assertionClaims: [String: JSONValue] {
    [
      "iss": .string(self.id), "sub": .string(self.id), "aud": .string(self.site.issuer.value),
      "exp": .integer(self.site.now + 60), "iat": .integer(self.site.now), "jti": .string(UUID().uuidString),
    ]
  }
}
