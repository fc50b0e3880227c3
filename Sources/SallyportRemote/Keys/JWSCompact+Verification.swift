package import SallyportProtocol

extension JWSCompact {
  /// Whether the signature was made with the key. The key's algorithm must match the header's.
  package func isSigned(by key: VerificationKey) -> Bool {
    key.algorithm == self.header.algorithm && key.isValid(signature: self.signature, of: self.signingInput)
  }
}
