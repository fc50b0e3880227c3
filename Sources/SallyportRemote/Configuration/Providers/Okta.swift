public import SallyportProtocol

extension ServerConfiguration {
  /// An authorization server of an Okta organization.
  /// - Parameters:
  ///   - domain: The organization's domain, for example `contoso.okta.com`.
  ///   - authorizationServer: The identifier of a custom authorization server, or `nil` for the organization
  ///     authorization server, whose access tokens only Okta accepts.
  /// - Throws: `EndpointURLError` if the parameters don't form a valid URL.
  public static func okta(
    domain: String, authorizationServer: String? = "default"
  ) throws(EndpointURLError) -> ServerConfiguration {
    // https://developer.okta.com/docs/api/openapi/okta-oauth/oauth/customas (read 2026-11-23)
    // https://developer.okta.com/docs/api/openapi/okta-oauth/oauth/orgas (read 2026-11-23)
    ServerConfiguration(issuer: try .domain(domain, authorizationServer.map { "/oauth2/\($0)" } ?? ""))
  }
}
