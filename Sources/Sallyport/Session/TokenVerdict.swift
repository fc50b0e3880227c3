import HTTPTypes
import SallyportProtocol

/// What an API's response says about the token that was sent.
enum TokenVerdict: Equatable {
  /// The response is final: the request is not sent again with another token or proof.
  case final
  /// The API asks for a DPoP nonce (`use_dpop_nonce`, RFC 9449 §9).
  case requiresNonce
  /// The API rejects the token: `invalid_token` (RFC 6750 §3.1), or status 401 without a reason.
  case rejectsToken
  /// The API requires more than the token provides.
  case requiresStepUp(StepUp)

  /// Reads the head of a response.
  /// - Parameter type: The type of the token that was sent. If the response has no challenge of this scheme, challenges
  ///   of the other token schemes are used.
  init(_ head: HTTPResponse, type: TokenType) {
    guard head.status == .unauthorized || head.status == .forbidden else {
      self = .final
      return
    }
    let challenges = AuthenticationChallenge.challenges(of: head.headerFields)
    let sameScheme = challenges.filter { $0.isScheme(type.scheme) }
    let relevant =
      sameScheme.isEmpty ? challenges.filter { $0.isScheme("Bearer") || $0.isScheme("DPoP") } : sameScheme
    if let stepUp = relevant.lazy.compactMap(StepUp.init).first {
      self = .requiresStepUp(stepUp)
    } else if head.status == .forbidden {
      self = .final
    } else if relevant.contains(where: { $0.error == .useDPoPNonce }) {
      self = .requiresNonce
    } else if relevant.contains(where: { $0.error == .invalidToken }) || relevant.allSatisfy({ $0["error"] == nil }) {
      // Without any challenge, status 401 has no reason either.
      self = .rejectsToken
    } else {
      self = .final
    }
  }
}
