public import SallyportProtocol

extension ServerConfiguration {
  /// GitLab.com.
  public static var gitLab: ServerConfiguration { .gitLab(.known("https://gitlab.com")) }

  /// A GitLab server of your own.
  /// - Parameter issuer: The server's URL without a trailing slash, for example `https://gitlab.example.com`.
  public static func gitLab(_ issuer: Issuer) -> ServerConfiguration {
    var server = ServerConfiguration(issuer: issuer)
    // The metadata doesn't name this endpoint.
    // https://github.com/gitlabhq/gitlabhq/blob/04b8ef1303253eb7059349dfa73dfe25df4ac1fb/doc/api/oauth2.md (GitLab 18)
    server.metadata["device_authorization_endpoint"] = .string(issuer.url(appending: "/oauth/authorize_device"))
    // According to the same page, GitLab always issues a refresh token, and rejects unknown scopes.
    server.unsupportedScopes = .offlineAccess
    return server
  }
}
