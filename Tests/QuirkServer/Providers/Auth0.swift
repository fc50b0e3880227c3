import SallyportProtocol

extension QuirkyProvider {
  /// Auth0, with a native application and an API.
  package static var auth0: QuirkyProvider {
    // The issuer ends with a slash.
    // https://gist.github.com/4123481bf097dbb2015c132b968f2064 (read 2026-11-23)
    let issuer = "https://contoso.eu.auth0.com/"
    let endpoints = Endpoints(
      metadata: "\(issuer).well-known/openid-configuration", authorization: "\(issuer)authorize", token: "\(issuer)oauth/token",
      device: "\(issuer)oauth/device/code", revocation: "\(issuer)oauth/revoke", keys: "\(issuer).well-known/jwks.json")
    let client = RegisteredClient(
      id: "auth0client", redirectURI: "http://127.0.0.1:49152/callback", redirectMatching: .exact)
    var auth0 = QuirkyProvider("Auth0", endpoints, client)
    auth0.issuer = issuer
    auth0.metadata = [
      "issuer": .string(issuer), "authorization_endpoint": .string(endpoints.authorization),
      "token_endpoint": .string(endpoints.token), "userinfo_endpoint": .string("\(issuer)userinfo"),
      "device_authorization_endpoint": .string("\(issuer)oauth/device/code"),
      "revocation_endpoint": .string("\(issuer)oauth/revoke"), "end_session_endpoint": .string("\(issuer)oidc/logout"),
      "jwks_uri": .string("\(issuer).well-known/jwks.json"), "response_types_supported": ["code", "token", "id_token"],
      "subject_types_supported": ["public"], "code_challenge_methods_supported": ["S256", "plain"],
      "id_token_signing_alg_values_supported": ["HS256", "RS256", "PS256"],
      "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    ]
    auth0.api.url = "\(issuer)userinfo"
    // Without `audience`, the access token is for the UserInfo endpoint only, and no API accepts it.
    // https://auth0.com/docs/authenticate/login/oidc-conformant-authentication/oidc-adoption-auth-code-flow (read
    // 2026-11-23)
    auth0.requiredParameters = ["audience": "https://api.contoso.example"]
    auth0.refresh = .rotates
    // "/oauth/revoke revokes ALL refresh tokens, not just one."
    // https://github.com/auth0/docs/pull/5970 (2018-04-05)
    auth0.revocation.endsAllGrants = true
    auth0.changeDeviceResponse = { $0["verification_uri"] = "https://contoso.eu.auth0.com/activate" }
    return auth0
  }
}
