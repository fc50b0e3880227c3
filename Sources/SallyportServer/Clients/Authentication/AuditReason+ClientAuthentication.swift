extension AuditReason {
  /// Returns the reason of a failed client authentication; nil for other errors, such as an unavailable store.
  init?(_ reason: TokenError.Reason) {
    switch reason {
    case .clientUnknown: self = .unknownClient
    case .clientMissing, .secretMissing: self = .credentialsMissing
    case .authorizationMalformed, .severalAuthenticationMethods: self = .credentialsMalformed
    case .secretWrong: self = .wrongSecret
    case .authenticationMethod: self = .wrongMethod
    case .assertion(.replayed): self = .assertionReplayed
    case .assertion: self = .wrongAssertion
    default: return nil
    }
  }
}
