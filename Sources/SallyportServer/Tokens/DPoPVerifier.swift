package import SallyportProtocol

/// Verifies the DPoP proofs of requests (RFC 9449).
package struct DPoPVerifier: Sendable {
  let store: any Store
  let issuer: Issuer
  package let nonces: DPoPNonceSource
  let now: TimeSource

  /// Verifies everything about a request's proof except whether it was used before.
  /// - Parameters:
  ///   - fields: The values of the request's `DPoP` header fields.
  ///   - endpoint: The path of the endpoint, relative to the issuer.
  ///   - method: The HTTP method of the request.
  ///   - accessToken: The access token in the same request, if any.
  /// - Returns: The proof; nil if the request has none.
  func check(
    _ fields: [String], at endpoint: String, method: String = "POST", accessToken: Secret<String>? = nil
  ) throws(DPoPError) -> UnusedDPoPProof? {
    guard let field = fields.first else { return nil }
    guard fields.count == 1 else { throw .proof(.repeated) }
    guard let target = DPoPTarget(method: method, url: self.issuer.url(appending: endpoint)) else {
      throw .proof(.urlMismatch)
    }
    do throws(DPoPProofError) {
      let expectations = DPoPExpectations(target: target, accessToken: accessToken, nonces: self.nonces.valid)
      return UnusedDPoPProof(try ValidatedDPoPProof(field, expecting: expectations, at: self.now()))
    } catch { throw .proof(error) }
  }

  /// Consumes a proof in a separate transaction, for requests that write nothing else.
  func consume(_ proof: UnusedDPoPProof) async throws(DPoPError) {
    let isFirst: Bool
    do { isFirst = try await self.store.write { (tx) throws(StoreError) in try proof.consume(in: &tx) } } catch {
      throw .storage(error)
    }
    guard isFirst else { throw .replayed }
  }
}

/// Why a DPoP proof is rejected.
package enum DPoPError: Error, Equatable, Sendable {
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
