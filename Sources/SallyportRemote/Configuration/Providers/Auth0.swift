public import SallyportProtocol

extension ServerConfiguration {
  /// A tenant of Auth0.
  /// - Parameters:
  ///   - domain: The tenant's domain, for example `contoso.eu.auth0.com`, or its custom domain.
  ///   - audience: The identifier of the API. Without one, access tokens are only for the UserInfo endpoint.
  /// - Throws: `EndpointURLError` if the domain is not a valid host.
  public static func auth0(domain: String, audience: String?) throws(EndpointURLError) -> ServerConfiguration {
    // The issuer ends with a slash.
    // https://gist.github.com/4123481bf097dbb2015c132b968f2064 (read 2026-11-23)
    var server = ServerConfiguration(issuer: try .domain(domain, "/"))
    // https://auth0.com/docs/authenticate/login/oidc-conformant-authentication/oidc-adoption-auth-code-flow (read
    // 2026-11-23)
    if let audience {
      server.parameters.authorization = .known("audience", audience)
      server.parameters.device = .known("audience", audience)
    }
    return server
  }
}
