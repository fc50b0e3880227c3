import HTTPTypes
import SallyportProtocol

extension ServerConfiguration {
  /// Slack, with the scopes and the token of the user who signs in. A bot's token is not used.
  ///
  /// Register an `https` redirect URI. An app for which PKCE is turned on can also register a private-use scheme, and
  /// needs no secret.
  public static var slack: ServerConfiguration {
    // https://docs.slack.dev/authentication/installing-with-oauth (read 2026-11-23)
    // https://docs.slack.dev/authentication/using-pkce (read 2026-11-23)
    var server = ServerConfiguration(
      issuer: .known("https://slack.com"), authorizationEndpoint: .known("https://slack.com/oauth/v2/authorize"),
      tokenEndpoint: .known("https://slack.com/api/oauth.v2.access"))
    server.scopeParameter = "user_scope"
    // In the response to a sign-in, the user's token is in `authed_user`.
    // Documentation of slack_kit 1.0.0-alpha.0, Slack.Web.Oauth.V2 (read 2026-11-23)
    // In the response to a refresh, the token is at the top level, which `tokenMember` allows.
    // https://docs.slack.dev/tools/node-slack-sdk/reference/oauth/interfaces/OAuthV2TokenRefreshResponse (read
    // 2026-11-23)
    server.tokenMember = "authed_user"
    server.unsupportedScopes = [.openID, .profile, .email, .offlineAccess]
    server.account = AccountRequest(
      .known("https://slack.com/api/auth.test"), method: .post, identifier: "user_id", username: "user")
    return server
  }
}
