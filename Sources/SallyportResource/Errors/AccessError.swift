public import HTTPTypes
public import SallyportProtocol

/// Why a request was rejected, and the response to send.
public struct AccessError: Error, Sendable {
  /// The reason, for logs and tests. It contains no part of the token.
  public let reason: Reason
  /// The status of the response.
  public let status: HTTPResponse.Status
  /// The header fields of the response. They include `WWW-Authenticate`, unless the status is 503.
  public let fields: HTTPFields

  /// Why a request was rejected.
  public enum Reason: Error, Equatable, Sendable {
    case tokenMissing
    case request(PresentedTokenError)
    case token(AccessTokenError)
    /// A token that is bound to a key was sent as a bearer token (RFC 9449 §7.2).
    case boundTokenAsBearer
    /// A bearer token was sent with the `DPoP` scheme.
    case tokenNotBound
    /// The API accepts only bound tokens.
    case bindingRequired
    /// The API doesn't accept bound tokens.
    case bindingNotSupported
    case proofMissing
    case proof(DPoPProofError)
    /// The proof was already used.
    case proofReplayed
    /// The replay store failed, so it is unknown whether the proof was already used. `cause` describes the error that
    /// the store threw.
    case replaysUnknown(cause: String)
    case insufficientScope(required: Scope)
    /// The user must authenticate again or more strongly (RFC 9470).
    case insufficientAuthentication
  }
}
