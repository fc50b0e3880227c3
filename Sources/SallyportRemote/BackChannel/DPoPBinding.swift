package import SallyportProtocol

/// The key that proves a back-channel request, and which token types its response may have.
package struct DPoPBinding: Sendable {
  package let key: any DPoPKey
  /// Whether to reject a `Bearer` token (RFC 9449 §5).
  package let isRequired: Bool

  package init(key: any DPoPKey, isRequired: Bool) {
    self.key = key
    self.isRequired = isRequired
  }
}
