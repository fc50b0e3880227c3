public import HTTPTypes
public import SallyportProtocol

/// Why a request was not let in, and the answer that says so.
public struct AccessRefusal: Error, Sendable {
  /// For logs and tests; holds nothing of the token.
  public let reason: Reason
  public let status: HTTPResponse.Status
  /// `WWW-Authenticate` and what else the answer needs.
  public let fields: HTTPFields

  /// What was wrong.
  public enum Reason: Error, Equatable, Sendable {
    case tokenMissing
    case request(PresentedTokenError)
    case token(AccessTokenError)
    /// A token that is bound to a key came as a bearer token, RFC 9449 §7.2.
    case boundTokenAsBearer
    /// A bearer token came with the scheme of bound ones.
    case tokenNotBound
    /// This API takes bound tokens only.
    case bindingRequired
    /// This API takes no bound tokens.
    case bindingNotSupported
    case proofMissing
    case proof(DPoPProofError)
    /// The proof was used before.
    case proofReplayed
    /// Nobody can tell whether the proof was used before.
    case replaysUnknown
    case insufficientScope(required: Scope)
    /// The person has to sign in again, or in a stronger way, RFC 9470.
    case insufficientAuthentication
  }
}
