import SallyportProtocol

/// A token request from a client that may use the requested grant type.
struct TokenRequest: Sendable {
  let form: FormParameters
  let client: ClientRecord
  /// The DPoP proof, which is consumed in the transaction that redeems the grant.
  let proof: UnusedDPoPProof?
  let origin: AuditOrigin

  /// The thumbprint of the DPoP key (RFC 9449 §5).
  var jkt: String? { self.proof?.jkt }

  init(_ request: ClientRequest, for grantType: GrantType) throws(TokenError) {
    self.form = request.form
    self.client = request.client.record
    self.proof = request.proof
    self.origin = request.origin
    try self.checkGrantType(grantType)
    try self.checkProofPresent()
  }

  /// RFC 7591 §2: a client may use only the grant types that it is registered with.
  private func checkGrantType(_ type: GrantType) throws(TokenError) {
    guard self.client.grantTypes.contains(type) else { throw .grantTypeNotAllowed }
  }

  /// RFC 9449 §5.2: a client with `dpop_bound_access_tokens` must send a proof.
  private func checkProofPresent() throws(TokenError) {
    guard self.proof != nil || self.client.details.requiresDPoP != true else { throw .proofMissing }
  }

  /// Returns the value of a required parameter.
  func value(of name: String) throws(TokenError) -> String {
    guard let value = self.form[name] else { throw .missingParameter(name) }
    return value
  }

  /// Returns the requested scope; nil if the request does not name one.
  func scope() throws(TokenError) -> Scope? {
    guard let text = self.form["scope"] else { return nil }
    guard let scope = Scope(text) else { throw .scopeMalformed }
    return scope
  }

  /// Returns the resources of the access token: the requested ones, or all granted ones if the request names none (RFC
  /// 8707 §2.2).
  func resources(within granted: [String], issuer: Issuer) throws(TokenError) -> [String] {
    do {
      return try ResourceIndicators.subset(self.form.values(of: "resource"), within: granted, issuer: issuer)
    } catch {
      throw .resource(error)
    }
  }

  /// RFC 9449 §5 and §10: if the grant or device code is bound to a key, the proof must be made with that key.
  func checkBinding(to boundThumbprint: String?) throws(TokenError) {
    guard let boundThumbprint else { return }
    guard let jkt else { throw .proofMissing }
    guard constantTimeEqual(boundThumbprint.utf8, jkt.utf8) else { throw .boundToAnotherKey }
  }
}
