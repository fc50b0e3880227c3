import SallyportProtocol

extension QuirkyProvider {
  /// Sign in with Apple on platforms other than Apple's, with a Services ID.
  package static var apple: QuirkyProvider {
    let endpoints = Endpoints(
      metadata: "https://appleid.apple.com/.well-known/openid-configuration",
      authorization: "https://appleid.apple.com/auth/authorize", token: "https://appleid.apple.com/auth/token",
      revocation: "https://appleid.apple.com/auth/revoke", keys: "https://appleid.apple.com/auth/keys")
    // The secret is a JWT that the developer's team has signed.
    // https://developer.apple.com/documentation/signinwithapplerestapi/generate-and-validate-tokens.md (read
    // 2026-11-23)
    // A redirect to localhost fails.
    // https://gist.github.com/dminkovsky/afa4bfda669ffbf162e7a02d8549ff0f (2021-07-31)
    let client = RegisteredClient(
      id: "com.contoso.notes.web", secret: .signedSecret(self.isAppleSecret),
      redirectURI: "https://notes.contoso.example/callback", redirectMatching: .exact)
    var apple = QuirkyProvider("Apple", endpoints, client)
    apple.issuer = "https://appleid.apple.com"
    apple.metadata = [
      "issuer": "https://appleid.apple.com", "authorization_endpoint": "https://appleid.apple.com/auth/authorize",
      "token_endpoint": "https://appleid.apple.com/auth/token", "revocation_endpoint": "https://appleid.apple.com/auth/revoke",
      "jwks_uri": "https://appleid.apple.com/auth/keys", "response_types_supported": ["code"],
      "response_modes_supported": ["query", "fragment", "form_post"], "subject_types_supported": ["pairwise"],
      "id_token_signing_alg_values_supported": ["RS256"], "scopes_supported": ["openid", "email", "name"],
      "token_endpoint_auth_methods_supported": ["client_secret_post"],
    ]
    apple.pkce = .optional
    apple.rejectedScopes = ["offline_access", "profile"]
    apple.issuesRefreshToken = { _ in true }
    // A refresh returns no refresh token, and the old one doesn't expire.
    // https://developer.apple.com/forums/thread/656845 (read 2026-11-23)
    apple.refresh = .omitsToken
    // Apple may send a Boolean claim as a string.
    // https://github.com/api-evangelist/ios/blob/main/json-schema/sign-in-with-apple-id-token-schema.json (read
    // 2026-11-23)
    apple.changeClaims = { claims in
      claims["email"] = "ada@privaterelay.appleid.com"
      claims["email_verified"] = "true"
    }
    // The token response contains no scope.
    apple.changeTokens = { $0["scope"] = nil }
    return apple
  }

  /// Whether a client secret is an ES256 JWT whose `sub` is the client and whose `aud` is Apple, and that has a `kid`,
  /// an `exp`, and an `iss` (the team). The values of `kid`, `exp`, and `iss` are not checked, and neither is the
  /// signature.
  /// https://gist.github.com/balazsorban44/09613175e7b37ec03f676dcefb7be5eb (2021-11-27)
  private static func isAppleSecret(_ text: String) -> Bool {
    let parts = text.split(separator: ".")
    guard parts.count == 3, let header = self.object(parts[0]), let claims = self.object(parts[1]) else { return false }
    return header["alg"] == "ES256" && header["kid"] != nil && claims["aud"] == "https://appleid.apple.com"
      && claims["sub"] == "com.contoso.notes.web" && claims["iss"] != nil && claims["exp"] != nil
  }

  /// The members of a JSON object in Base64URL.
  private static func object(_ part: Substring) -> [String: JSONValue]? {
    Base64URL.decode(String(part)).flatMap { JSONValue.members(of: $0) }
  }
}
