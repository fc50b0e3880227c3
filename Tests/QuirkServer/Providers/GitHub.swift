import SallyportProtocol

extension QuirkyProvider {
  /// GitHub, with a GitHub App whose tokens expire.
  ///
  /// Unless a comment names another source, the source is this page:
  /// https://github.com/github/docs/blob/029b09ac7206a46ede804fd54fa6273376490c3c/content/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.md
  /// (read 2026-11-23)
  package static var gitHub: QuirkyProvider {
    // There is no metadata, no ID token, and no revocation endpoint.
    let endpoints = Endpoints(
      authorization: "https://github.com/login/oauth/authorize", token: "https://github.com/login/oauth/access_token",
      device: "https://github.com/login/device/code")
    // The app sends its secret in the form, and the port of a loopback redirect is ignored.
    var client = RegisteredClient(
      id: "Iv1.8a61f9b3a7aba766", secret: .required("github-secret", [.form]), redirectURI: "http://127.0.0.1:49152/callback")
    // "The client_secret is not needed for the device flow". To refresh a token that the device flow issued, it is not
    // needed either.
    // https://github.com/github/docs/blob/2e15944ca6efa9d1d7524afbf4fa49797f59356c/content/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens.md
    // (read 2026-11-23)
    client.deviceSecret = .ignored
    var gitHub = QuirkyProvider("GitHub", endpoints, client)
    // PKCE with S256 is supported and not required.
    // https://github.blog/changelog/2025-07-14-pkce-support-for-oauth-and-github-app-authentication (2025-07-14)
    gitHub.pkce = .optional
    gitHub.api.url = "https://api.github.com/user"
    gitHub.api.response = ["id": 583_231, "login": "octocat", "name": "The Octocat"]
    // Every sign-in gets a refresh token, whatever its scope. Each refresh replaces the refresh token.
    gitHub.issuesRefreshToken = { _ in true }
    gitHub.refresh = .rotates
    gitHub.changeTokens = { tokens in
      tokens["token_type"] = "bearer"
      tokens["scope"] = "repo,gist"
      tokens["expires_in"] = 28_800
      tokens["refresh_token_expires_in"] = 15_811_200
    }
    gitHub.changeDeviceResponse = { $0["verification_uri"] = "https://github.com/login/device" }
    gitHub.errorResponse = self.gitHubError
    return gitHub
  }

  /// Error responses have the status 200.
  /// https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
  /// (read 2026-11-23)
  private static func gitHubError(_ failure: Failure) -> ErrorResponse {
    var response = failure.standardResponse
    response.status = 200
    response.members["error_uri"] = "https://docs.github.com/apps/oauth-apps"
    switch failure {
    case .unknownClient, .missingSecret, .wrongSecret: response.code = "incorrect_client_credentials"
    case .unknownCode, .wrongVerifier: response.code = "bad_verification_code"
    case .wrongRedirectURI: response.code = "redirect_uri_mismatch"
    case .unknownRefreshToken: response.code = "bad_refresh_token"
    case .unknownDeviceCode: response.code = "incorrect_device_code"
    case .slowDown: response.members["interval"] = 10
    default: break
    }
    return response
  }
}
