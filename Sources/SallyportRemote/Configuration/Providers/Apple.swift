import SallyportProtocol

extension ServerConfiguration {
  /// Sign in with Apple on platforms other than Apple's, with a Services ID. On Apple platforms, use
  /// AuthenticationServices.
  ///
  /// The redirect URI must be an `https` URL. The client secret is a JWT that is signed with the team's key and valid
  /// for at most six months. An app must not contain that key: have the app's server sign the JWT, and get it with
  /// ``ClientSecret/provided(by:)``.
  /// - Parameter formPost: Whether the response is a form, which Apple requires for the scopes `name` and `email`. See
  ///   ``ResponseMode/formPost`` for how an app receives it.
  public static func apple(formPost: Bool) -> ServerConfiguration {
    var server = ServerConfiguration(issuer: .known("https://appleid.apple.com"))
    // https://openauth.js.org/docs/provider/apple (read 2026-11-23)
    server.responseMode = formPost ? .formPost : nil
    // https://developer.apple.com/documentation/signinwithapplerestapi/generate-and-validate-tokens.md (read
    // 2026-11-23)
    server.clientAuthentication = .clientSecretPost
    // Apple knows only the scopes `openid`, `name`, and `email`.
    server.unsupportedScopes = [.profile, .offlineAccess]
    return server
  }
}
