package import SallyportProtocol

/// Checks the proofs that come with requests, RFC 9449.
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

  /// The proof of a request, checked in every way except for reuse; nil if the request carries none.
  /// - Parameters:
  ///   - fields: the values of the request's `DPoP` fields.
  ///   - endpoint: the endpoint's path below the issuer.
  ///   - accessToken: the token that came with the proof, where one did.
  func check(
    _ fields: [String], at endpoint: String, method: String = "POST", accessToken: Secret<String>? = nil
  ) throws(Refusal) -> UnusedDPoPProof? {
    guard let field = fields.first else { return nil }
    guard fields.count == 1 else { throw .proof(.repeated) }
    guard let target = DPoPTarget(method: method, url: self.issuer.url(appending: endpoint)) else {
      throw .proof(.urlMismatch)
    }
    do throws(DPoPProofError) {
      let expectations = DPoPExpectations(target: target, accessToken: accessToken, nonces: self.nonces.good)
      return UnusedDPoPProof(try ValidatedDPoPProof(field, expecting: expectations, at: self.now()))
    } catch { throw .proof(error) }
  }

  /// Uses up a proof in a transaction of its own, for requests that write nothing else.
  func use(_ proof: UnusedDPoPProof) async throws(Refusal) {
    let isFirst: Bool
    do { isFirst = try await self.store.write { (tx) throws(StoreError) in try proof.use(in: &tx) } } catch {
      throw .storage(error)
    }
    guard isFirst else { throw .replayed }
  }
}
