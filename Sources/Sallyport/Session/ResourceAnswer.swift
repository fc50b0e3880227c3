import HTTPTypes
import SallyportProtocol

/// What an API's answer says about the token that was sent.
enum ResourceAnswer: Equatable {
  /// Nothing that concerns the token.
  case settled
  /// `use_dpop_nonce`, RFC 9449 §9.
  case wantsNonce
  /// `invalid_token` (RFC 6750 §3.1), or a 401 that gives no reason.
  case refusesToken
  case wantsMore(StepUp)

  /// Reads the head of an answer.
  /// - Parameter type: of the token that was sent; another scheme's challenge counts where there is none of its own.
  init(_ head: HTTPResponse, type: TokenType) {
    guard head.status == .unauthorized || head.status == .forbidden else {
      self = .settled
      return
    }
    let challenges = AuthenticationChallenge.challenges(of: head.headerFields)
    let own = challenges.filter { $0.isScheme(type.scheme) }
    let known = own.isEmpty ? challenges.filter { $0.isScheme("Bearer") || $0.isScheme("DPoP") } : own
    if let stepUp = known.lazy.compactMap(StepUp.init).first {
      self = .wantsMore(stepUp)
    } else if head.status == .forbidden {
      self = .settled
    } else if known.contains(where: { $0.error == .useDPoPNonce }) {
      self = .wantsNonce
    } else if known.contains(where: { $0.error == .invalidToken }) || known.allSatisfy({ $0["error"] == nil }) {
      self = .refusesToken
    } else {
      self = .settled
    }
  }
}
