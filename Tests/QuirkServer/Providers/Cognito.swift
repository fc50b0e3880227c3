import SallyportProtocol

extension QuirkyProvider {
  /// A user pool of Amazon Cognito, with a public app client.
  package static var cognito: QuirkyProvider {
    // The issuer's host serves the metadata and the keys. The other endpoints are on the host of the user pool's
    // domain.
    // https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html (read 2026-11-23)
    let issuer = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_a1b2c3d4e"
    let domain = "https://contoso.auth.eu-central-1.amazoncognito.com"
    let endpoints = Endpoints(
      metadata: "\(issuer)/.well-known/openid-configuration", authorization: "\(domain)/oauth2/authorize",
      token: "\(domain)/oauth2/token", revocation: "\(domain)/oauth2/revoke", keys: "\(issuer)/.well-known/jwks.json")
    // Callback URLs must match exactly. Otherwise Cognito's page shows `redirect_mismatch`.
    // https://pastebin.com/Tb0v6Mf4 (read 2026-11-23)
    let client = RegisteredClient(
      id: "1example23456789", redirectURI: "com.contoso.notes:/callback", redirectMatching: .exact)
    var cognito = QuirkyProvider("Cognito", endpoints, client)
    cognito.issuer = issuer
    cognito.metadata = [
      "issuer": .string(issuer), "authorization_endpoint": .string(endpoints.authorization),
      "token_endpoint": .string(endpoints.token), "userinfo_endpoint": .string("\(domain)/oauth2/userInfo"),
      "revocation_endpoint": .string("\(domain)/oauth2/revoke"), "end_session_endpoint": .string("\(domain)/logout"),
      "jwks_uri": .string("\(issuer)/.well-known/jwks.json"), "response_types_supported": ["code", "token"],
      "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
      "scopes_supported": ["openid", "email", "phone", "profile"],
      "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
    ]
    cognito.api.url = "\(domain)/oauth2/userInfo"
    // In the UserInfo response, Boolean claims are strings.
    // https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html (read 2026-11-28)
    cognito.api.response = ["sub": "ada", "name": "Ada", "email": "ada@example.com", "email_verified": "true"]
    // A sign-in always returns a refresh token, and a refresh returns none.
    // https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html (read 2026-11-23)
    // https://www.repost.aws/questions/QUPHUpitClS8GCVJ0PQVyLxQ (read 2026-11-23)
    cognito.issuesRefreshToken = { _ in true }
    cognito.refresh = .omitsToken
    cognito.rejectedScopes = ["offline_access"]
    // The token response contains no scope.
    cognito.changeTokens = { $0["scope"] = nil }
    return cognito
  }
}
