import SallyportProtocol

extension QuirkyProvider {
  /// Slack, with PKCE and user scopes.
  ///
  /// If an app enables PKCE, Slack treats it as a public client without a secret, and rotates its tokens.
  /// https://docs.slack.dev/authentication/using-pkce (read 2026-11-23),
  /// https://docs.slack.dev/changelog/2026/03/30/pkce (2026-03-30)
  package static var slack: QuirkyProvider {
    let endpoints = Endpoints(
      authorization: "https://slack.com/oauth/v2/authorize", token: "https://slack.com/api/oauth.v2.access")
    // A redirect URI without a custom scheme must use https. https://authjs.dev/getting-started/providers/slack (read
    // 2026-11-23)
    let client = RegisteredClient(
      id: "2141029472.691202649728", redirectURI: "https://notes.contoso.example/callback", redirectMatching: .exact)
    var slack = QuirkyProvider("Slack", endpoints, client)
    // The user's scopes are in `user_scope`. `scope` contains the scopes of a bot, which an app with PKCE cannot
    // request.
    // https://docs.slack.dev/changelog/2026/03/30/pkce (2026-03-30)
    slack.checkAuthorization = { request in
      request["scope"] == nil ? nil : "an app that uses PKCE cannot request bot scopes"
    }
    slack.rejectedScopes = ["offline_access"]
    slack.issuesRefreshToken = { _ in true }
    slack.refresh = .rotates
    slack.api.url = "https://slack.com/api/auth.test"
    slack.api.method = "POST"
    slack.api.response = ["ok": true, "user_id": "U1234", "team_id": "T9TK3CUKW"]
    // The user's token is in `authed_user`.
    // https://iqkuvo7yv5.apidog.io/apidoc/project-347399/api-3545308 (read 2026-11-23)
    // Tokens expire after 12 hours. https://docs.slack.dev/authentication/using-token-rotation (read 2026-11-23)
    slack.changeTokens = { tokens in
      var user: JSONValue = ["id": "U1234", "token_type": "user", "scope": "chat:write", "expires_in": 43_200]
      user["access_token"] = tokens["access_token"]
      user["refresh_token"] = tokens["refresh_token"]
      tokens = ["ok": true, "app_id": "A0KRD7HC3", "team": ["id": "T9TK3CUKW"], "authed_user": user]
    }
    slack.errorResponse = self.slackError
    return slack
  }

  /// Error responses have the status 200.
  /// Documentation of slack_kit 1.0.0-alpha.0, Slack.Web.Oauth.V2 (read 2026-11-23)
  private static func slackError(_ failure: Failure) -> ErrorResponse {
    let code =
      switch failure {
      case .unknownClient: "invalid_client_id"
      case .missingSecret, .wrongSecret: "bad_client_secret"
      case .unknownCode, .wrongVerifier: "invalid_code"
      case .wrongRedirectURI: "bad_redirect_uri"
      case .unknownRefreshToken: "invalid_refresh_token"
      case .unsupportedGrant: "invalid_grant_type"
      default: failure.standardResponse.code
      }
    return ErrorResponse(code, status: 200, members: ["ok": false])
  }
}
