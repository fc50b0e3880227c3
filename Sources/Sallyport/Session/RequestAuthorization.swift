public import HTTPTypes
public import SallyportProtocol

/// The header fields that authorize one request that the app sends itself, for example a stream, a WebSocket, or a gRPC
/// call.
///
/// The fields are for one request and one URL: a DPoP proof contains the method and the URL, and can be used once (RFC
/// 9449 §4.2).
public struct RequestAuthorization: Sendable {
  /// The `Authorization` field (RFC 6750 §2.1), and the `DPoP` field if the token is bound to a key (RFC 9449 §7.1).
  ///
  /// The request must not contain other fields with these names. If the API redirects, don't send these fields to the
  /// new URL.
  public let fields: Secret<HTTPFields>

  let method: HTTPRequest.Method
  let url: EndpointURL
  let destination: TokenDestination
  let credential: AccessCredential
  let nonce: String?
  /// Which retries are still allowed.
  let retries: Retries

  /// A request is repeated at most once with a refreshed token, and for each token at most once with a nonce of the API
  /// (RFC 9449 §9). Otherwise, the app could endlessly repeat a request that the API never accepts.
  struct Retries: Sendable {
    var mayRenew = true
    var mayRetryWithNonce = true
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

  /// Replaces the `Authorization` and `DPoP` fields of a request with these fields. If the token is not bound to a key,
  /// the request has no `DPoP` field afterward.
  public func apply(to request: inout HTTPRequest) {
    request.headerFields[.dpop] = nil
    for field in self.fields.reveal() { request.headerFields[field.name] = field.value }
  }
}
