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

  package static let openIDConfigurationPath = "/.well-known/openid-configuration"
  package static let oauthAuthorizationServerPath = "/.well-known/oauth-authorization-server"
}
