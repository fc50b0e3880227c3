import SallyportProtocol

extension QuirkyProvider {
  /// Okta's default custom authorization server, with a native app.
  ///
  /// The issuer, the authorization and token endpoints, and the behavior of refresh tokens are from the page below. The
  /// other endpoints have the same form and are not on the page.
  /// https://github.com/okta/okta-developer-docs/blob/01d856d2830659d82fca064181828d2f851fa441/packages/@okta/vuepress-site/docs/guides/refresh-tokens/main/index.md
  /// (read 2026-11-23)
  package static var okta: QuirkyProvider {
    let issuer = "https://contoso.okta.com/oauth2/default"
    let endpoints = Endpoints(
      metadata: "\(issuer)/.well-known/openid-configuration", authorization: "\(issuer)/v1/authorize",
      token: "\(issuer)/v1/token",
      device: "\(issuer)/v1/device/authorize", revocation: "\(issuer)/v1/revoke", keys: "\(issuer)/v1/keys")
    // The redirect URI has the same form as in the instructions of Okta's former SDK. A copy of the SDK:
    // https://github.com/ayurok/okta-sdk-appauth-ios (read 2026-11-23)
    let client = RegisteredClient(
      id: "0oa1b2c3d4", redirectURI: "com.okta.contoso:/callback", redirectMatching: .exact)
    var okta = QuirkyProvider("Okta", endpoints, client)
    okta.issuer = issuer
    okta.metadata = [
      "issuer": .string(issuer), "authorization_endpoint": .string(endpoints.authorization),
      "token_endpoint": .string(endpoints.token), "userinfo_endpoint": .string("\(issuer)/v1/userinfo"),
      "device_authorization_endpoint": .string("\(issuer)/v1/device/authorize"),
      "revocation_endpoint": .string("\(issuer)/v1/revoke"), "end_session_endpoint": .string("\(issuer)/v1/logout"),
      "jwks_uri": .string("\(issuer)/v1/keys"), "response_types_supported": ["code"], "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"],
      "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
    ]
    okta.api.url = "\(issuer)/v1/userinfo"
    // "With persistent refresh token behavior, the same refresh token is returned". Native apps have this behavior by
    // default.
    okta.refresh = .returnsSameToken
    okta.changeDeviceResponse = { $0["verification_uri"] = "https://contoso.okta.com/activate" }
    return okta
  }
}
