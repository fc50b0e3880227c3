/// Where an issuer publishes its metadata.
package enum WellKnown {
  /// OpenID Connect Discovery §4: appended to the issuer.
  package static func openIDConfiguration(of issuer: Issuer) -> String {
    issuer.url(appending: self.openIDConfigurationPath)
  }

  /// RFC 8414 §3: inserted between the issuer's host and its path.
  package static func oauthAuthorizationServer(of issuer: Issuer) -> String {
    issuer.origin + self.oauthAuthorizationServerPath + issuer.path
  }

  /// RFC 9728 §3.1: inserted between the resource's host and its path and query.
  package static func protectedResource(of resource: EndpointURL) -> String {
    let path = resource.pathAndQuery == "/" ? "" : resource.pathAndQuery
    return "\(resource.components.scheme)://\(resource.authority)\(self.protectedResourcePath)\(path)"
  }

  package static let protectedResourcePath = "/.well-known/oauth-protected-resource"
  package static let openIDConfigurationPath = "/.well-known/openid-configuration"
  package static let oauthAuthorizationServerPath = "/.well-known/oauth-authorization-server"
}
