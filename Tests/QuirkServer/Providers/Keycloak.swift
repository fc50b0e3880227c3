import SallyportProtocol

extension QuirkyProvider {
  /// A realm of Keycloak.
  package static var keycloak: QuirkyProvider {
    let issuer = "https://sso.contoso.example/realms/notes"
    let root = "\(issuer)/protocol/openid-connect"
    // https://keycloak.org/securing-apps/oidc-layers (read 2026-11-23)
    let endpoints = Endpoints(
      metadata: "\(issuer)/.well-known/openid-configuration", authorization: "\(root)/auth", token: "\(root)/token",
      device: "\(root)/auth/device", revocation: "\(root)/revoke", keys: "\(root)/certs")
    // Loopback redirects can have any port. https://github.com/keycloak/keycloak/issues/21300 (2023-06-28)
    let client = RegisteredClient(id: "notes", redirectURI: "http://127.0.0.1:49152/callback")
    var keycloak = QuirkyProvider("Keycloak", endpoints, client)
    keycloak.issuer = issuer
    keycloak.metadata = [
      "issuer": .string(issuer), "authorization_endpoint": .string(endpoints.authorization),
      "token_endpoint": .string(endpoints.token), "userinfo_endpoint": .string("\(root)/userinfo"),
      "device_authorization_endpoint": .string("\(root)/auth/device"), "revocation_endpoint": .string("\(root)/revoke"),
      "end_session_endpoint": .string("\(root)/logout"), "jwks_uri": .string("\(root)/certs"),
      "response_types_supported": ["code", "none", "id_token"], "subject_types_supported": ["public", "pairwise"],
      "id_token_signing_alg_values_supported": ["PS384", "RS256", "ES256", "HS256"],
      "code_challenge_methods_supported": ["plain", "S256"],
      "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_basic", "client_secret_post"],
    ]
    keycloak.api.url = "\(root)/userinfo"
    // A sign-in returns a refresh token even if the scope does not contain offline_access.
    // https://www.keycloak.org/docs/latest/server_admin/#_offline-access (read 2026-11-23)
    keycloak.issuesRefreshToken = { _ in true }
    keycloak.refresh = .rotates
    // A revocation ends all sessions of the user at the client.
    // https://github.com/keycloak/keycloak/issues/35486 (2024-12-02)
    keycloak.revocation.endsAllGrants = true
    keycloak.changeTokens = { tokens in
      tokens["refresh_expires_in"] = 1800
      tokens["not-before-policy"] = 0
      tokens["session_state"] = "b70a7b7b-963b-4cd6"
    }
    keycloak.changeDeviceResponse = { prompt in
      prompt["verification_uri"] = .string("\(issuer)/device")
      prompt["expires_in"] = 600
    }
    // The error description for an unknown refresh token: https://github.com/keycloak/keycloak/issues/26532
    // (2024-01-26)
    keycloak.errorResponse = { failure in
      var response = failure.standardResponse
      if failure == .unknownRefreshToken { response.members["error_description"] = "Session not active" }
      return response
    }
    return keycloak
  }
}
