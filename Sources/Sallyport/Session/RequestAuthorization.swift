public import HTTPTypes
public import SallyportProtocol

/// The header fields that authorize one request which the app sends by itself: a stream, a WebSocket, a gRPC call.
///
/// They are for one request and one URL: a proof of a key (RFC 9449 §4.2) names both, and is used once.
public struct RequestAuthorization: Sendable {
  /// `Authorization` (RFC 6750 §2.1), and `DPoP` where the token is bound to a key (RFC 9449 §7.1). Nothing else of the kind may
  /// stand on the request, and a redirect must not be followed with them.
  public let fields: Secret<HTTPFields>

  let method: HTTPRequest.Method
  let url: EndpointURL
  let destination: TokenDestination
  let credential: AccessCredential
  let nonce: String?
  /// What is left of the tries after a refusal.
  let retries: Retries

  /// An API that is never content gets no more requests than these: one refresh, and with each token one nonce.
  struct Retries: Sendable {
    var mayRenew = true
    var mayAnswerNonce = true
  }

  init(
    _ credential: AccessCredential, for method: HTTPRequest.Method, _ url: EndpointURL, at destination: TokenDestination,
    nonce: String?, now: Timestamp, retries: Retries
  ) throws(DPoPKeyError) {
    self.fields = Secret(try credential.fields(for: method, url, nonce: nonce, at: now))
    self.method = method
    self.url = url
    self.destination = destination
    self.credential = credential
    self.nonce = nonce
    self.retries = retries
  }

  /// Puts the fields on a request, in place of any that are there.
  public func apply(to request: inout HTTPRequest) {
    request.headerFields[.dpop] = nil
    for field in self.fields.reveal() { request.headerFields[field.name] = field.value }
  }
}
