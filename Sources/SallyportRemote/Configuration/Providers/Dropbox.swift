import HTTPTypes
import SallyportProtocol

extension ServerConfiguration {
  /// Dropbox, without OpenID Connect. No client secret is needed, because Sallyport uses PKCE.
  public static var dropbox: ServerConfiguration {
    // https://github.com/Shopify/react-native-app-auth/blob/main/docs/config-examples/dropbox.md (read 2026-11-23)
    var server = ServerConfiguration(
      issuer: .known("https://www.dropbox.com"), authorizationEndpoint: .known("https://www.dropbox.com/oauth2/authorize"),
      tokenEndpoint: .known("https://api.dropboxapi.com/oauth2/token"))
    // Only this parameter requests a refresh token.
    // https://dropbox.tech/developers/using-oauth-2-0-with-offline-access (2022-10-19)
    server.parameters.authorization = .known("token_access_type", "offline")
    server.unsupportedScopes = [.openID, .profile, .email, .offlineAccess]
    // Documentation of routed_auth 0.2.1, DropboxProviderOptions-class.html (read 2026-11-23)
    server.account = AccountRequest(
      .known("https://api.dropboxapi.com/2/users/get_current_account"), method: .post, identifier: "account_id",
      name: "name.display_name", email: "email")
    return server
  }
}
