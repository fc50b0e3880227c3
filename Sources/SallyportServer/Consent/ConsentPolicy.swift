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
  /// - Parameters:
  ///   - scope: with what single claims come to.
  ///   - remembered: the person's earlier agreements for this client and this redirect URI.
  package static func decide(
    redirect: VerifiedRedirect, scope: Scope, resources: [String], prompt: Prompt, remembered: [ConsentRecord]
  ) -> Decision {
    if let reason = self.missingProof(redirect) { return .ask(reason) }
    if prompt.contains(.consent) { return .ask(.requested) }
    guard !remembered.isEmpty else { return .ask(.firstTime) }
    return remembered.contains { self.covers($0, scope, resources) } ? .remembered : .ask(.newScopes)
  }

  /// One agreement covers all of the request. Tokens without a resource are for this server alone, so an agreement for a resource says
  /// nothing of them, and the other way round.
  private static func covers(_ consent: ConsentRecord, _ scope: Scope, _ resources: [String]) -> Bool {
    consent.scope.contains(scope) && consent.resources.isEmpty == resources.isEmpty
      && resources.allSatisfy(consent.resources.contains)
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
