package import SallyportProtocol

/// Where an authorization server's metadata comes from, and the members that the app overrides.
package struct MetadataSource: Sendable, Equatable {
  /// The document to fetch.
  package enum Location: Sendable, Equatable {
    /// The issuer's OpenID configuration or RFC 8414 document.
    case wellKnown
    case document(EndpointURL)
    /// No document is fetched. The metadata consists of ``MetadataSource/members``.
    case none
  }

  /// The issuer that the metadata must belong to.
  package var issuer: Issuer
  package var location: Location
  /// Members that are added to the document, or replace its members, before the document is decoded and validated.
  /// `null` removes a member.
  package var members: [String: JSONValue]
  /// The tenants of a multitenant provider, or `nil` if the metadata must name ``issuer``. With tenants, the metadata
  /// may instead name the issuer of a tenant or the template of these issuers.
  package var tenants: TenantPolicy?

  package init(
    issuer: Issuer, location: Location = .wellKnown, members: [String: JSONValue] = [:], tenants: TenantPolicy? = nil
  ) {
    self.issuer = issuer
    self.tenants = tenants
    self.location = location
    self.members = members
  }

  /// Returns the members of a document after adding, replacing, and removing members as ``members`` specifies.
  func merged(into document: [String: JSONValue]) -> [String: JSONValue] {
    var merged = document.merging(self.members) { _, replacement in replacement }
    for (name, value) in self.members where value == .null { merged[name] = nil }
    return merged
  }
}
