package import SallyportProtocol

extension JWSCompact {
  /// Whether the signature is that key's. The key's algorithm must be the header's.
  package func isSigned(by key: VerificationKey) -> Bool {
    key.algorithm == self.header.algorithm && key.isValid(signature: self.signature, of: self.signingInput)
  }
}
