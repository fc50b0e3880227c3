import SallyportProtocol

extension QuirkyProvider {
  /// GitLab.com, with a public application.
  package static var gitLab: QuirkyProvider {
    let endpoints = Endpoints(
      metadata: "https://gitlab.com/.well-known/openid-configuration", authorization: "https://gitlab.com/oauth/authorize",
      token: "https://gitlab.com/oauth/token", device: "https://gitlab.com/oauth/authorize_device",
      revocation: "https://gitlab.com/oauth/revoke", keys: "https://gitlab.com/oauth/discovery/keys")
    // With PKCE, a public application sends no secret.
    // https://github.com/gitlabhq/gitlabhq/blob/04b8ef1303253eb7059349dfa73dfe25df4ac1fb/doc/api/oauth2.md (GitLab 18)
    let client = RegisteredClient(
      id: "gitlab-application", redirectURI: "http://127.0.0.1:49152/callback", redirectMatching: .exact)
    var gitLab = QuirkyProvider("GitLab", endpoints, client)
    gitLab.issuer = "https://gitlab.com"
    // The metadata document has no device_authorization_endpoint and no end_session_endpoint, and its authentication
    // methods don't include `none`.
    // https://github.com/api-evangelist/gitlab/blob/7a70b854afdd1b0d30be8d752070b4f473d8bb3d/well-known/gitlab-openid-configuration.json
    // (2026-09-19)
    gitLab.metadata = [
      "issuer": "https://gitlab.com", "authorization_endpoint": "https://gitlab.com/oauth/authorize",
      "token_endpoint": "https://gitlab.com/oauth/token", "revocation_endpoint": "https://gitlab.com/oauth/revoke",
      "introspection_endpoint": "https://gitlab.com/oauth/introspect", "userinfo_endpoint": "https://gitlab.com/oauth/userinfo",
      "jwks_uri": "https://gitlab.com/oauth/discovery/keys",
      "scopes_supported": ["api", "read_user", "openid", "profile", "email"],
      "response_types_supported": ["code"], "response_modes_supported": ["query", "fragment", "form_post"],
      "grant_types_supported": ["authorization_code", "client_credentials", "device_code", "refresh_token"],
      "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
      "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
      "code_challenge_methods_supported": ["plain", "S256"],
    ]
    gitLab.api.url = "https://gitlab.com/oauth/userinfo"
    // Each sign-in returns a refresh token, and a refresh invalidates the old access token and the old refresh token,
    // according to the page oauth2.md of GitLab 18 (see above).
    gitLab.issuesRefreshToken = { _ in true }
    gitLab.refresh = .rotates
    gitLab.rejectedScopes = ["offline_access"]
    gitLab.changeTokens = { tokens in
      tokens["token_type"] = "bearer"
      tokens["expires_in"] = 7200
      tokens["created_at"] = 1_607_635_748
    }
    gitLab.changeDeviceResponse = { prompt in
      prompt["verification_uri"] = "https://gitlab.com/oauth/device"
      prompt["verification_uri_complete"] = "https://gitlab.com/oauth/device?user_code=0A44L90H"
      prompt["expires_in"] = 300
    }
    return gitLab
  }
}
