package import SallyportProtocol

/// The key for the DPoP proof of a token request, and whether the issued token must be bound to this key.
package struct DPoPBinding: Sendable {
  package let key: any DPoPKey
  /// Whether to reject a `Bearer` token (RFC 9449 §5).
  package let isRequired: Bool

  package init(key: any DPoPKey, isRequired: Bool) {
    self.key = key
    self.isRequired = isRequired
  }
}
