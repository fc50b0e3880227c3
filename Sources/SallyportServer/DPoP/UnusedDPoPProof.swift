import SallyportProtocol

/// A proof that passed every check except the one for reuse (RFC 9449 §11.1).
///
/// It is used up in the transaction that acts on the request, after what the request names was found: otherwise anyone could fill the
/// database with proofs of keys that they make up. A request that names an existing credential of its client uses up its proof even if the
/// request fails, so that nobody who sees the request can repeat it.
package struct UnusedDPoPProof: Sendable {
  /// The thumbprint of the key.
  package let key: String
  private let identifier: String
  private let expires: Timestamp

  init(_ proof: ValidatedDPoPProof) {
    self.key = proof.key.thumbprint
    self.identifier = proof.identifier
    self.expires = proof.expiration + .seconds(60)
  }

  /// Remembers the proof's `jti`, which counts once for each key.
  /// - Returns: true for exactly one caller.
  func use(in transaction: inout any StoreTransaction) throws(StoreError) -> Bool {
    let mark = Fingerprint(of: Secret("dpop\n\(self.key)\n\(self.identifier)"))
    return try transaction.useIdentifier(mark, expires: self.expires)
  }
}
