import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import Testing

extension RelyingParty {
  /// Refreshes the tokens of `first`, and validates the response, which must be successful (OpenID Connect Core §12.2).
  /// The clock must have advanced since `first`, because the new ID token must have a later `iat`.
  /// - Parameter proof: The DPoP proof, or `nil` for bearer tokens.
  func refreshed(
    _ first: SignIn, proof: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> SignIn {
    let reply = try await self.refresh(first.refreshToken, proof: proof)
    let tokens = reply.json
    #expect(reply.status == .ok && reply.headers[.contentType] == "application/json", sourceLocation: sourceLocation)
    #expect(reply.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
    #expect(tokens["token_type"] == (proof == nil ? "Bearer" : "DPoP"), sourceLocation: sourceLocation)
    let access = try #require(tokens["access_token"], "\(reply.body)", sourceLocation: sourceLocation)
    #expect(access != first.accessToken, sourceLocation: sourceLocation)
    // 22 characters of base64url contain at least 128 bits.
    #expect((tokens["refresh_token"] ?? "").utf8.count >= 22, sourceLocation: sourceLocation)
    let idToken = try await IDToken.verified(
      try #require(tokens["id_token"], sourceLocation: sourceLocation), for: self, accessToken: access,
      sourceLocation: sourceLocation)
    let before = first.idToken
    #expect(idToken.iss == before.iss && idToken.sub == before.sub, sourceLocation: sourceLocation)
    #expect(idToken.aud.values == before.aud.values && idToken.authTime == before.authTime, sourceLocation: sourceLocation)
    #expect(idToken.iat > before.iat && idToken.nonce == nil, sourceLocation: sourceLocation)
    return SignIn(code: first.code, parameters: first.parameters, tokens: tokens, idToken: idToken)
  }
}
