package import SallyportProtocol
package import SallyportRemote

/// A provider through which users can sign in, read from its record.
package struct Upstream: Sendable {
  package let record: UpstreamRecord
  let issuer: Issuer
  /// The redirect URI at this provider. Each provider has its own, so that a response from one provider cannot be
  /// mistaken for a response from another (RFC 9700 §4.4.2.2).
  let redirectURI: RedirectURI

  package var id: String { self.record.id }
  /// The accepted tenants of a multitenant provider, whose ID tokens name the issuer of the user's tenant. Nil if all
  /// ID tokens name ``issuer``.
  package var tenants: TenantPolicy? {
    self.record.details.tenantIssuer.map { template in
      TenantPolicy(issuerTemplate: template, allowed: self.record.details.allowedTenants.map { Set($0) })
    }
  }

  package var name: String { self.record.name }

  /// - Parameter server: The issuer of this server.
  /// - Returns: Nil if a stored URL is invalid.
  init?(_ record: UpstreamRecord, of server: Issuer) {
    guard let issuer = try? Issuer(record.issuer), let redirectURI = try? RedirectURI(Self.redirectURI(of: record.id, at: server))
    else { return nil }
    self.record = record
    self.issuer = issuer
    self.redirectURI = redirectURI
  }

  /// The redirect URI that operators register at the provider.
  package static func redirectURI(of id: String, at server: Issuer) -> String {
    server.url(appending: "\(EndpointPath.upstream)/\(id)/callback")
  }

  /// The URI to which the provider sends logout tokens, which operators register there as the `backchannel_logout_uri`.
  package static func backchannelLogoutURI(of id: String, at server: Issuer) -> String {
    server.url(appending: "\(EndpointPath.upstream)/\(id)/backchannel-logout")
  }

  /// Whether a text can be the identifier of an upstream: 1 to 32 lowercase ASCII letters, digits, and inner hyphens.
  package static func isValid(id: String) -> Bool {
    // 0x2D is the hyphen.
    let bytes = Array(id.utf8)
    return (1...32).contains(bytes.count) && bytes.first != 0x2D && bytes.last != 0x2D
      && bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  }
}
