package import SallyportProtocol

/// Checks the proofs that come with requests, RFC 9449, and that none comes twice.
package struct DPoPVerifier: Sendable {
  let store: any Store
  let issuer: Issuer
  package let nonces: DPoPNonceSource
  let now: TimeSource

  /// Why a proof was not taken.
  package enum Refusal: Error, Equatable, Sendable {
    case proof(DPoPProofError)
    case replayed
    case storage(StoreError)

    package var code: OAuthErrorCode {
      switch self {
      case .proof(let error): error.code
      case .replayed: .invalidDPoPProof
      case .storage: .serverError
      }
    }
  }

  /// The key that the sender of a request has shown to have; nil where the request carries no proof.
  /// - Parameters:
  ///   - fields: the values of the request's `DPoP` fields.
  ///   - endpoint: the endpoint's path below the issuer.
  ///   - accessToken: the token that came with the proof, where one did.
  package func key(
    provedBy fields: [String], at endpoint: String, method: String = "POST", accessToken: Secret<String>? = nil
  ) async throws(Refusal) -> String? {
    guard let field = fields.first else { return nil }
    guard fields.count == 1 else { throw .proof(.repeated) }
    guard let target = DPoPTarget(method: method, url: self.issuer.url(appending: endpoint)) else {
      throw .proof(.urlMismatch)
    }
    let proof: ValidatedDPoPProof
    do throws(DPoPProofError) {
      let expectations = DPoPExpectations(target: target, accessToken: accessToken, nonces: self.nonces.good)
      proof = try ValidatedDPoPProof(field, expecting: expectations, at: self.now())
    } catch { throw .proof(error) }
    try await self.use(proof)
    return proof.key.thumbprint
  }

  /// RFC 9449 §11.1: a `jti` counts once for each key.
  private func use(_ proof: ValidatedDPoPProof) async throws(Refusal) {
    let mark = Fingerprint(of: Secret("dpop\n\(proof.key.thumbprint)\n\(proof.identifier)"))
    let expires = proof.expiration + .seconds(60)
    let isFirst: Bool
    do { isFirst = try await self.store.write { (tx) throws(StoreError) in try tx.useIdentifier(mark, expires: expires) } } catch
    {
      throw .storage(error)
    }
    guard isFirst else { throw .replayed }
  }
}
