import SallyportProtocol

/// The rules that a metadata document must keep, one function each.
enum MetadataRules {
  /// RFC 8414 §3.3: the issuer is identical, by its text, to the one that was asked for.
  static func checkIssuer(_ found: String, expected: Issuer) throws(DiscoveryError) {
    // Bytes, since Swift's own equality takes canonically equivalent texts for the same.
    guard found.utf8.elementsEqual(expected.value.utf8) else { throw .issuerMismatch(found: VisibleText.bounded(found)) }
  }

  /// RFC 7636 §4.2: a server that lists its methods must know `S256`; one that lists none gets `S256` all the same.
  static func checkChallengeMethods(_ methods: [String]?) throws(DiscoveryError) {
    guard methods?.contains(CodeChallenge.method) ?? true else { throw .s256NotSupported }
  }

  /// RFC 8252 §8.2: there is no other flow for a native app than the code flow.
  static func checkResponseTypes(_ types: [String]?) throws(DiscoveryError) {
    guard types?.contains("code") ?? true else { throw .codeNotSupported }
  }

  static func required(_ text: String?, _ name: MetadataEndpoint, of issuer: Issuer) throws(DiscoveryError) -> EndpointURL {
    guard let url = try self.optional(text, name, of: issuer) else { throw .missing(name) }
    return url
  }

  /// `https`, or `http` on loopback for an issuer that is there itself: nobody is led from TLS to a plain connection.
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
