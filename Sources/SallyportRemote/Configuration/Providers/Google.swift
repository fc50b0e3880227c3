import SallyportProtocol

extension ServerConfiguration {
  /// Google accounts.
  ///
  /// The client's type is Desktop app, iOS, Android, or, for sign-in without a browser, TVs and Limited Input. Desktop
  /// and TV clients need their secret, as the parameter `clientSecret` of ``OAuthClient``.
  ///
  /// The preset asks for consent at each sign-in, because Google issues a refresh token to some types of clients only
  /// then. Set ``prompt`` to an empty value if your app doesn't need a refresh token.
  public static var google: ServerConfiguration {
    var server = ServerConfiguration(issuer: .known("https://accounts.google.com"))
    // A refresh token needs access_type=offline, and for a repeated sign-in also prompt=consent.
    // https://developers.google.com/identity/protocols/oauth2/web-server (read 2026-11-23)
    // https://github.com/googleworkspace/apps-script-oauth2/issues/26 (2015-09-09)
    server.parameters.authorization = .known("access_type", "offline")
    server.prompt = .consent
    // Google doesn't know `offline_access`, and rejects unknown scopes.
    // https://github.com/lukaszraczylo/traefikoidc/issues/44 (2025-05-04)
    server.unsupportedScopes = .offlineAccess
    // The secret of a TV client is a form parameter.
    // https://developers.google.com/identity/protocols/oauth2/limited-input-device (read 2026-11-23)
    server.clientAuthentication = .clientSecretPost
    return server
  }
}
