import HTTPTypes
import SallyportProtocol

/// An access token with what it takes to use it.
struct AccessCredential: Sendable {
  let token: Secret<String>
  let type: TokenType
  /// The key of a token that is bound to one; nil for `Bearer`.
  let key: (any DPoPKey)?

  /// The token, and a new proof, as header fields: RFC 6750 §2.1, RFC 9449 §7.1.
  func fields(
    for method: HTTPRequest.Method, _ url: EndpointURL, nonce: String?, at now: Timestamp
  ) throws(DPoPKeyError) -> HTTPFields {
    var fields = HTTPFields()
    fields[.authorization] = "\(self.type.scheme) \(self.token.reveal())"
    guard let key = self.key, let target = DPoPTarget(method: method.rawValue, url: url.value) else { return fields }
    let proof = try DPoPProof.make(for: target, accessToken: self.token, nonce: nonce, at: now, by: key)
    fields[.dpop] = proof.reveal()
    return fields
  }
}
