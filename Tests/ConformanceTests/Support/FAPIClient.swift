import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

/// The client of the FAPI 2.0 plans. It authenticates with `private_key_jwt`, pushes its requests, and binds its tokens
/// to a DPoP key. In the Message Signing plan, its requests are signed request objects.
struct FAPIClient: Sendable {
  var party: RelyingParty
  /// The key that signs the client's assertions and request objects.
  let key: TestSigningKey
  /// The key that signs the client's DPoP proofs.
  let proofKey: any DPoPKey
  let signsRequests: Bool

  var site: Site { self.party.site }

  static func registered(
    on site: Site, for plan: FAPIPlan = .securityProfile, redirectURI: String = RelyingParty.callback
  ) async throws -> FAPIClient {
    let key = TestSigningKey.es256(id: "1")
    var members: [String: JSONValue] = [
      "require_pushed_authorization_requests": true, "dpop_bound_access_tokens": true, "id_token_signed_response_alg": "ES256",
      "redirect_uris": [.string(redirectURI)],
    ]
    if plan == .messageSigning { members["require_signed_request_object"] = true }
    return FAPIClient(
      party: try await .registered(on: site, members, key: key), key: key, proofKey: try SoftwareDPoPKeys().makeKey(),
      signsRequests: plan == .messageSigning)
  }

  /// Registers a client whose key has no `alg`, so that the server must check the algorithm of each signature.
  /// - Parameter key: The client's key, or `nil` for a new RSA key.
  static func withKey(
    _ key: TestSigningKey? = nil, on site: Site, signsRequests: Bool, _ members: [String: JSONValue]
  ) async throws -> FAPIClient {
    let key = try key ?? .rsa("PS256", id: "1")
    var jwk = key.jwk
    jwk["alg"] = nil
    let fixed: [String: JSONValue] = [
      "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [jwk]], "id_token_signed_response_alg": "ES256",
    ]
    let reply = try await site.register(RelyingParty.metadata(fixed.merging(members) { $1 }))
    let party = RelyingParty(
      site: site, id: try reply.registration.clientID, authentication: .key(key), redirectURI: RelyingParty.callback,
      algorithm: "ES256")
    return FAPIClient(party: party, key: key, proofKey: try SoftwareDPoPKeys().makeKey(), signsRequests: signsRequests)
  }

  /// A valid request with PKCE.
  var request: AuthorizeParameters {
    self.party.request.with("code_challenge", AuthorizeParameters.challenge).with("code_challenge_method", "S256")
  }

  func proof(
    _ path: String, method: String = "POST", accessToken: String? = nil, by key: (any DPoPKey)? = nil
  ) throws -> String {
    try self.site.proof(key ?? self.proofKey, path, method: method, accessToken: accessToken)
  }

  /// Returns a signed request object. A member of `claims` replaces the claim with this name, or removes it if the
  /// member is null.
  func object(
    _ request: AuthorizeParameters, changing claims: [String: JSONValue] = [:], header: [String: JSONValue] = [:],
    by key: TestSigningKey? = nil
  ) throws -> String {
    let parameters = request.list.reduce(into: self.party.objectClaims) { $0[$1.name] = .string($1.value) }
    return try jwt(key ?? self.key, header: header, parameters.merging(claims) { $1 }.filter { $0.value != .null })
  }

  /// Returns the form of a pushed request. It contains the parameters, or a signed request object with the parameters.
  func form(for request: AuthorizeParameters) throws -> [String: String] {
    if self.signsRequests { return ["client_id": self.party.id, "request": try self.object(request)] }
    return Dictionary(uniqueKeysWithValues: request.list.map { ($0.name, $0.value) })
  }

  func push(
    _ request: AuthorizeParameters? = nil, changing changes: [String: String?] = [:], proof: String? = nil
  ) async throws -> Reply {
    try await self.party.post(
      "/par", try self.form(for: request ?? self.request), changing: changes, proofs: proof.map { [$0] } ?? [])
  }

  /// Returns the URL of the authorization endpoint for a pushed request.
  /// - Parameter parameters: Additional parameters of the URL.
  func authorizationURL(
    _ pushed: Reply, client: String? = nil, adding parameters: [(name: String, value: String)] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    #expect(pushed.status == .created, "\(pushed.body)", sourceLocation: sourceLocation)
    let uri = try #require(pushed.json["request_uri"], sourceLocation: sourceLocation)
    return "/authorize?" + FormParameters.encode([("client_id", client ?? self.party.id), ("request_uri", uri)] + parameters)
  }

  /// Returns the authorization response after the user has signed in and consented.
  func authorize(
    _ pushed: Reply, adding parameters: [(name: String, value: String)] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Reply {
    let browser = TestBrowser(self.site)
    let page = try await browser.open(try self.authorizationURL(pushed, adding: parameters, sourceLocation: sourceLocation))
    return try await browser.decide(try await browser.signIn(page), "allow")
  }

  func code(_ request: AuthorizeParameters? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
    let reply = try await self.authorize(try await self.push(request), sourceLocation: sourceLocation)
    return try #require(reply.parameters["code"], sourceLocation: sourceLocation)
  }

  /// Redeems a code with a DPoP proof. A member of `changes` replaces a parameter of the request, or removes it if the
  /// member is `nil`.
  func redeem(_ code: String, changing changes: [String: String?] = [:], by key: (any DPoPKey)? = nil) async throws -> Reply {
    let defaults: [String: String?] = ["code_verifier": AuthorizeParameters.verifier]
    return try await self.party.redeem(
      code, changing: defaults.merging(changes) { $1 }, proof: try self.proof("/token", by: key))
  }

  /// Signs the user in with a request that must succeed, and validates the responses.
  /// - Parameters:
  ///   - request: The request.
  ///   - pushed: The response to a request that was already pushed, or `nil` to push `request`.
  ///   - parameters: Additional parameters of the authorization endpoint's URL.
  func signIn(
    _ request: AuthorizeParameters? = nil, pushed: Reply? = nil, adding parameters: [(name: String, value: String)] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> RelyingParty.SignIn {
    let pushed = try await pushed.orPushing { try await self.push(request) }
    let reply = try await self.authorize(pushed, adding: parameters, sourceLocation: sourceLocation)
    #expect(reply.location?.hasPrefix(self.party.redirectURI) == true, sourceLocation: sourceLocation)
    let expected = request ?? self.request
    #expect(reply.parameters["state"] == expected["state"], sourceLocation: sourceLocation)
    #expect(reply.parameters["iss"] == self.site.issuer.value, sourceLocation: sourceLocation)
    let code = try #require(reply.parameters["code"], sourceLocation: sourceLocation)
    let tokens = try await self.redeem(code)
    #expect(tokens.status == .ok && tokens.json["token_type"] == "DPoP", "\(tokens.body)", sourceLocation: sourceLocation)
    let idToken = try await IDToken.verified(
      try #require(tokens.json["id_token"]), for: self.party, accessToken: tokens.json["access_token"],
      sourceLocation: sourceLocation)
    #expect(idToken.nonce == expected["nonce"], sourceLocation: sourceLocation)
    return RelyingParty.SignIn(code: code, parameters: reply.parameters, tokens: tokens.json, idToken: idToken)
  }

  /// Sends a request to the protected resource (userinfo) with this proof, or without one if `proof` is `nil`.
  func userinfo(_ accessToken: String, proof: String?, scheme: String = "DPoP") async throws -> Reply {
    try await self.userinfo(accessToken, proofs: proof.map { [$0] } ?? [], scheme: scheme)
  }

  /// Sends a request to the protected resource with any number of `DPoP` fields.
  func userinfo(_ accessToken: String, proofs: [String], scheme: String = "DPoP") async throws -> Reply {
    var headers: HTTPFields = [.authorization: "\(scheme) \(accessToken)"]
    for proof in proofs { headers.append(HTTPField(name: .dpop, value: proof)) }
    return try await self.site.send(.get, "/userinfo", headers: headers)
  }

  /// Sends a request to the protected resource with a new valid proof, which this client's key signs.
  func userinfo(_ accessToken: String) async throws -> Reply {
    try await self.userinfo(accessToken, proof: try self.proof("/userinfo", method: "GET", accessToken: accessToken))
  }
}

extension Reply? {
  /// Returns the reply, or the result of `push` if it is `nil`. The operator `??` cannot do this, because `push` is
  /// asynchronous.
  fileprivate func orPushing(_ push: () async throws -> Reply) async throws -> Reply {
    if let self { return self }
    return try await push()
  }
}
