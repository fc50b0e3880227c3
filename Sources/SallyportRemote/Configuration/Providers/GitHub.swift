import HTTPTypes
import SallyportProtocol

extension ServerConfiguration {
  /// GitHub, with an OAuth app or a GitHub App.
  ///
  /// GitHub has no OpenID Connect. Sign-in with a browser needs the app's secret, as the parameter `clientSecret` of
  /// ``OAuthClient``. Sign-in on another device doesn't need the secret. Tokens of OAuth apps have no fixed lifetime,
  /// and signing out doesn't revoke them at GitHub.
  public static var gitHub: ServerConfiguration {
    // https://github.com/github/docs/blob/029b09ac7206a46ede804fd54fa6273376490c3c/content/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.md
    // (read 2026-11-23)
    var server = ServerConfiguration(
      issuer: .known("https://github.com"), authorizationEndpoint: .known("https://github.com/login/oauth/authorize"),
      tokenEndpoint: .known("https://github.com/login/oauth/access_token"))
    server.deviceAuthorizationEndpoint = .known("https://github.com/login/device/code")
    server.clientAuthentication = .clientSecretPost
    server.unsupportedScopes = [.openID, .profile, .email, .offlineAccess]
    server.account = AccountRequest(
      .known("https://api.github.com/user"), identifier: "id", name: "name", username: "login", email: "email")
    // GitHub's API rejects requests without the field `User-Agent`.
    // https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent, as quoted in
    // https://github.com/fscheck/FsCheck/pull/665 (2024-02-25)
    server.headers[.userAgent] = "Sallyport"
    return server
  }
}
