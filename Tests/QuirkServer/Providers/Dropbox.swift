import SallyportProtocol

extension QuirkyProvider {
  /// Dropbox for a public client, which uses PKCE and has no secret.
  /// https://github.com/dropbox/dropbox-sdk-python/pull/211 (read 2026-11-23)
  package static var dropbox: QuirkyProvider {
    // https://github.com/Shopify/react-native-app-auth/blob/main/docs/config-examples/dropbox.md (read 2026-11-23)
    let endpoints = Endpoints(
      authorization: "https://www.dropbox.com/oauth2/authorize", token: "https://api.dropboxapi.com/oauth2/token")
    // "This must be the exact URI registered in the App Console; even 'localhost' must be listed."
    // https://github.com/nicoco007/DotNetBox.Docs (read 2026-11-23)
    let client = RegisteredClient(
      id: "dropboxkey", redirectURI: "http://127.0.0.1:49152/callback", redirectMatching: .exact)
    var dropbox = QuirkyProvider("Dropbox", endpoints, client)
    // Only the parameter `token_access_type=offline` requests a refresh token.
    // https://dropbox.tech/developers/using-oauth-2-0-with-offline-access (2022-10-19)
    dropbox.issuesRefreshToken = { $0["token_access_type"] == "offline" }
    dropbox.rejectedScopes = ["openid", "offline_access"]
    // A refresh returns no refresh token, and the old one stays valid.
    // rusty_dropbox_sdk 0.8.2, src/auth/mod.rs
    dropbox.refresh = .omitsToken
    dropbox.changeTokens = { tokens in
      tokens["token_type"] = "bearer"
      tokens["expires_in"] = 14_400
      tokens["uid"] = "12345"
      tokens["account_id"] = "dbid:AAH4f99"
    }
    // User information is requested with a POST without a body.
    // Documentation of routed_auth 0.2.1, DropboxProviderOptions-class.html (read 2026-11-23)
    dropbox.api.url = "https://api.dropboxapi.com/2/users/get_current_account"
    dropbox.api.method = "POST"
    dropbox.api.response = ["account_id": "dbid:AAH4f99", "name": ["display_name": "Ada"]]
    return dropbox
  }
}
