import SallyportProtocol

/// An issuer identifier with a placeholder for the user's tenant, and the tenants whose users may sign in.
///
/// Microsoft's `common` and `organizations` endpoints serve all tenants. Their metadata contains
/// `https://login.microsoftonline.com/{tenantid}/v2.0` as the issuer, and each ID token contains the issuer of the
/// user's tenant. An ID token is accepted only if all of these are identical:
///
/// - its `iss` claim,
/// - the template with its `tid` claim in place of `{tenantid}`,
/// - the `issuer` member of the key that signed it, with the same substitution.
///
/// The app does not know the issuer in advance. If ``allowed`` is `nil`, anyone who has a tenant at the provider can
/// create users who can sign in. To identify a user, use `iss` and `sub` together.
public struct TenantPolicy: Sendable, Equatable {
  /// The placeholder in an issuer identifier.
  public static let placeholder = "{tenantid}"

  /// The issuer identifier, with ``placeholder`` in place of the tenant.
  public var issuerTemplate: String
  /// The identifiers (`tid`) of the tenants whose users may sign in, or `nil` for all tenants. Case does not matter.
  public var allowed: Set<String>?

  /// Creates a policy.
  /// - Parameters:
  ///   - issuerTemplate: The issuer identifier, with ``placeholder`` in place of the tenant.
  ///   - allowed: The tenants whose users may sign in, or `nil` for all tenants.
  public init(issuerTemplate: String, allowed: Set<String>? = nil) {
    self.issuerTemplate = issuerTemplate
    self.allowed = allowed
  }

  /// The issuer identifier of a tenant, or `nil` if the tenant is not allowed or is not a valid identifier, or if the
  /// template has no placeholder.
  package func issuer(of tenant: String) -> String? {
    guard self.allows(tenant), self.issuerTemplate.contains(Self.placeholder) else { return nil }
    return Self.replace(in: self.issuerTemplate, tenant)
  }

  /// A key's `issuer` member with the tenant in place of the placeholder: the issuer whose tokens the key may sign.
  func issuer(ofKey issuer: String, tenant: String) -> String {
    Self.replace(in: issuer, tenant)
  }

  /// Whether an issuer identifier is ``issuerTemplate`` with an allowed tenant in place of the placeholder.
  package func allows(issuer: String) -> Bool {
    let parts = self.issuerTemplate.split(separator: Self.placeholder, omittingEmptySubsequences: false)
    // The last condition makes sure that the prefix and the suffix do not overlap.
    guard parts.count == 2, issuer.hasPrefix(parts[0]), issuer.hasSuffix(parts[1]),
      issuer.utf8.count > self.issuerTemplate.utf8.count - Self.placeholder.utf8.count
    else { return false }
    let tenant = String(issuer.dropFirst(parts[0].count).dropLast(parts[1].count))
    return self.issuer(of: tenant)?.utf8.elementsEqual(issuer.utf8) ?? false
  }

  /// Whether the tenant's users may sign in. A tenant can contain only letters, digits, and hyphens, so that it cannot
  /// change any other part of the issuer.
  private func allows(_ tenant: String) -> Bool {
    // Digits, uppercase and lowercase letters, and the hyphen.
    let isPermitted = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
    }
    guard (1...64).contains(tenant.utf8.count), tenant.utf8.allSatisfy(isPermitted) else { return false }
    guard let allowed = self.allowed else { return true }
    return allowed.contains { $0.lowercased() == tenant.lowercased() }
  }

  private static func replace(in template: String, _ tenant: String) -> String {
    template.split(separator: self.placeholder, omittingEmptySubsequences: false).joined(separator: tenant)
  }
}
