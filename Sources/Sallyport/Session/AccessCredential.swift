import HTTPTypes
import SallyportProtocol

/// An access token, with its DPoP key if it is bound to one.
struct AccessCredential: Sendable {
  let token: Secret<String>
  let type: TokenType
  /// The key that a DPoP-bound token needs, or `nil` for a bearer token.
  let key: (any DPoPKey)?

  /// The header fields with the token and, if it is bound to a key, a new proof (RFC 6750 §2.1, RFC 9449 §7.1).
  /// - Throws: ``DPoPKeyError`` if the token is bound to a key, but no proof can be made. The token must not be
  ///   sent then.
  func fields(
    for method: HTTPRequest.Method, _ url: EndpointURL, nonce: String?, at now: Timestamp
  ) throws(DPoPKeyError) -> HTTPFields {
    var fields = HTTPFields()
    fields[.authorization] = "\(self.type.scheme) \(self.token.reveal())"
    guard self.type == .dpop else { return fields }
    guard let key = self.key else { throw .damaged }
    guard let target = DPoPTarget(method: method.rawValue, url: url.value) else {
      throw .unavailable(reason: "the request's URL cannot be part of a proof")
    }
    let proof = try DPoPProof.make(for: target, accessToken: self.token, nonce: nonce, at: now, by: key)
    fields[.dpop] = proof.reveal()
    return fields
  }
}
