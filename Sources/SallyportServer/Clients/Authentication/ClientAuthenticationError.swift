/// Why a client is not authenticated.
package enum ClientAuthenticationError: Error, Equatable, Sendable {
  case clientMissing, clientUnknown
  case authorizationMalformed
  /// The request uses more than one method (RFC 6749 §2.3).
  case severalMethods
  /// The header and the form name different clients.
  case clientIDMismatch
  case secretMissing, secretWrong
  /// The client is registered with a different method.
  case wrongMethod
  case assertion(ClientAssertionError)
  case storage(StoreError)
}

extension AuditReason {
  /// - Returns: Nil if the store failed, because the client did nothing wrong.
  init?(_ error: ClientAuthenticationError) {
    switch error {
    case .clientUnknown: self = .unknownClient
    case .clientMissing, .secretMissing: self = .credentialsMissing
    case .authorizationMalformed, .severalMethods, .clientIDMismatch: self = .credentialsMalformed
    case .secretWrong: self = .wrongSecret
    case .wrongMethod: self = .wrongMethod
    case .assertion(.replayed): self = .assertionReplayed
    case .assertion: self = .wrongAssertion
    case .storage: return nil
    }
  }
}
