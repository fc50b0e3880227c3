/// The URLs at which metadata is published.
package enum WellKnown {
  /// The well-known path is appended to the issuer (OpenID Connect Discovery §4).
  package static func openIDConfiguration(of issuer: Issuer) -> String {
    issuer.url(appending: self.openIDConfigurationPath)
  }

  /// The well-known path is inserted between the issuer's host and path (RFC 8414 §3).
  package static func oauthAuthorizationServer(of issuer: Issuer) -> String {
    issuer.origin + self.oauthAuthorizationServerPath + issuer.path
  }

  /// The well-known path is inserted between the resource's host and its path and query (RFC 9728 §3.1).
  package static func protectedResource(of resource: EndpointURL) -> String {
    let query = resource.components.query.map { "?\($0)" } ?? ""
    return "\(resource.components.scheme)://\(resource.authority)\(self.protectedResourcePath(of: resource))\(query)"
  }

  /// The path of ``protectedResource(of:)``. A resource path that is only a slash is removed (RFC 9728 §3.1).
  package static func protectedResourcePath(of resource: EndpointURL) -> String {
    let path = resource.components.path
    return self.protectedResourcePath + (path == "/" ? "" : path)
  }

  package static let protectedResourcePath = "/.well-known/oauth-protected-resource"
  package static let openIDConfigurationPath = "/.well-known/openid-configuration"
  package static let oauthAuthorizationServerPath = "/.well-known/oauth-authorization-server"
}
