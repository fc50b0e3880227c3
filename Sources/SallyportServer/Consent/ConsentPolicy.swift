package import SallyportProtocol

/// Whether the person is asked, graded by what proves the client's identity (RFC 8252 §8.6).
package enum ConsentPolicy {
  package enum Decision: Equatable, Sendable {
    /// What was agreed before, for this redirect and these scopes, still counts.
    case remembered
    case ask(Reason)
  }

  /// Why the person is asked, as the page tells it.
  package enum Reason: Equatable, Sendable {
    case firstTime, newScopes, requested
    /// Any program on the computer could be the one that asks.
    case loopback
    /// Any app on the device could have claimed the scheme.
    case privateUseScheme
    /// The client registered itself.
    case unverifiedClient
  }

  /// Pure.
  /// - Parameter remembered: the person's earlier agreement for this client and this redirect URI.
  package static func decide(
    redirect: VerifiedRedirect, scope: Scope, prompt: Prompt, remembered: ConsentRecord?
  ) -> Decision {
    if let reason = self.missingProof(redirect) { return .ask(reason) }
    if prompt.contains(.consent) { return .ask(.requested) }
    guard let remembered else { return .ask(.firstTime) }
    return remembered.scope.contains(scope) ? .remembered : .ask(.newScopes)
  }

  /// Whether an agreement may be kept for the next time.
  package static func mayRemember(_ redirect: VerifiedRedirect) -> Bool {
    self.missingProof(redirect) == nil
  }

  /// Only an `https` URI that an operator vouched for proves who receives the answer, and only for this request's redirect.
  private static func missingProof(_ redirect: VerifiedRedirect) -> Reason? {
    guard redirect.isVouchedFor else { return .unverifiedClient }
    switch redirect.redirectURI.kind {
    case .https: return nil
    case .loopback: return .loopback
    case .privateUse: return .privateUseScheme
    }
  }
}
