import SallyportProtocol

/// A valid DPoP proof that this request has not consumed yet. Another request may have consumed the same proof, so the
/// proof may be a replay (RFC 9449 §11.1).
///
/// The proof is consumed in the transaction that acts on the request, or in a separate transaction if the request
/// writes nothing else (``DPoPVerifier/consume(_:)``). It is consumed only after the credential in the request was
/// found, or after the request was counted toward a quota. Otherwise anyone could fill the database with proofs of
/// made-up keys. A token request with an existing code or refresh token of its client consumes its proof even if the
/// grant cannot be redeemed, so that nobody who sees the request can repeat it. Some failed polls with a device code do
/// not consume the proof, because anyone can obtain a device code.
package struct UnusedDPoPProof: Sendable {
  /// The thumbprint of the key.
  package let jkt: String
  private let identifier: String
  private let expires: Timestamp

  init(_ proof: ValidatedDPoPProof) {
    self.jkt = proof.key.thumbprint
    self.identifier = proof.identifier
    // The `jti` is kept for a minute longer than the proof is valid, because the clocks of the servers may differ.
    self.expires = proof.expiration + .seconds(60)
  }

  /// Stores the proof's `jti`, which must be unique for its key.
  /// - Returns: Whether this is the first use. The result is true for exactly one caller.
  func consume(in transaction: inout any StoreTransaction) throws(StoreError) -> Bool {
    let fingerprint = Fingerprint(of: Secret("dpop\n\(self.jkt)\n\(self.identifier)"))
    return try transaction.consumeIdentifier(fingerprint, expires: self.expires)
  }
}
