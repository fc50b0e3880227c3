package import SallyportProtocol

/// A token request from an authenticated client. Its DPoP proof, if any, passed all checks except the one for reuse.
package struct TokenRequest: Sendable {
  package let form: FormParameters
  package let client: ClientRecord
  /// The proof, which the grant consumes in its transaction.
  let proof: UnusedDPoPProof?
  let origin: AuditOrigin

  /// The thumbprint of the DPoP key (RFC 9449 §5).
  package var key: String? { self.proof?.key }

  init(form: FormParameters, client: AuthenticatedClient, proof: UnusedDPoPProof?, from origin: AuditOrigin) {
    self.form = form
    self.client = client.record
    self.proof = proof
    self.origin = origin
  }

  /// RFC 9449 §5 and §10: a grant that is bound to a key can be used only with this key.
  static func checkBinding(_ bound: String?, _ key: String?) throws(TokenError) {
    guard let bound else { return }
    guard let key else { throw TokenError(.invalidDPoPProof, .proofMissing) }
    guard constantTimeEqual(bound.utf8, key.utf8) else { throw TokenError(.invalidGrant, .boundToAnotherKey) }
  }

  /// RFC 9449 §5.2: a client with `dpop_bound_access_tokens` must send a proof.
  func checkProofPresent() throws(TokenError) {
    guard self.key != nil || self.client.details.requiresDPoP != true else {
      throw TokenError(.invalidDPoPProof, .proofMissing)
    }
  }

  /// RFC 7591 §2: a client may use only the grant types that it is registered with.
  func checkGrantType(_ type: GrantType) throws(TokenError) {
    guard self.client.grantTypes.contains(type) else { throw TokenError(.unauthorizedClient, .grantTypeNotAllowed) }
  }

  /// Returns the resources of the access token.
  func resources(within granted: [String], issuer: Issuer) throws(TokenError) -> [String] {
    do { return try ResourceIndicators.narrowed(self.form.values(of: "resource"), within: granted, issuer: issuer) } catch {
      throw TokenError(.invalidTarget, .resource(error))
    }
  }
}
