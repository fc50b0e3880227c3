import HTTPTypes
import SallyportProtocol

/// An access token with what it takes to use it.
struct AccessCredential: Sendable {
  let token: Secret<String>
  let type: TokenType
  /// The key of a token that is bound to one; nil for `Bearer`.
  let key: (any DPoPKey)?

  /// Puts the token, and a new proof, on a request: RFC 6750 §2.1, RFC 9449 §7.1.
  func authorize(
    _ request: inout HTTPRequest, to url: EndpointURL, nonce: String?, at now: Timestamp
  ) throws(DPoPKeyError) {
    request.headerFields[.authorization] = "\(self.type.scheme) \(self.token.reveal())"
    request.headerFields[.dpop] = nil
    guard let key = self.key, let target = DPoPTarget(method: request.method.rawValue, url: url.value) else { return }
    let proof = try DPoPProof.make(for: target, accessToken: self.token, nonce: nonce, at: now, by: key)
    request.headerFields[.dpop] = proof.reveal()
  }
}
