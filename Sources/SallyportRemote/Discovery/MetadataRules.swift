import SallyportProtocol

/// The rules for a metadata document, one function each.
enum MetadataRules {
  /// The issuer must be identical to the expected issuer (RFC 8414 §3.3).
  static func checkIssuer(_ found: String, expected: Issuer) throws(DiscoveryError) {
    // Compare bytes, because `String` equality treats canonically equivalent strings as equal.
    guard found.utf8.elementsEqual(expected.value.utf8) else { throw .issuerMismatch(found: VisibleText.bounded(found)) }
  }

  /// A server that lists code challenge methods must list `S256` (RFC 7636 §4.2). If the metadata contains no list,
  /// `S256` is used anyway.
  static func checkChallengeMethods(_ methods: [String]?) throws(DiscoveryError) {
    guard methods?.contains(CodeChallenge.method) ?? true else { throw .s256NotSupported }
  }

  /// A server that lists response types must list `code`, because native apps use no other flow (RFC 8252 §8.2).
  static func checkResponseTypes(_ types: [String]?) throws(DiscoveryError) {
    guard types?.contains("code") ?? true else { throw .codeNotSupported }
  }

  static func required(_ text: String?, _ name: MetadataEndpoint, of issuer: Issuer) throws(DiscoveryError) -> EndpointURL {
    guard let url = try self.optional(text, name, of: issuer) else { throw .missing(name) }
    return url
  }

  /// Requires `https`, or `http` on loopback if the issuer also uses `http`, so that an `https` issuer never leads to
  /// `http`.
  static func optional(_ text: String?, _ name: MetadataEndpoint, of issuer: Issuer) throws(DiscoveryError) -> EndpointURL? {
    guard let text else { return nil }
    let url: EndpointURL
    do {
      url = try EndpointURL(text)
    } catch {
      throw .endpoint(name, error)
    }
    guard url.components.scheme == "https" || !issuer.isHTTPS else { throw .downgrade(name) }
    return url
  }
}
