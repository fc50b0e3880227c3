package import SallyportProtocol

/// Decides whether to ask the user for consent, depending on how well the client's identity is proven (RFC 8252 §8.6).
package enum ConsentPolicy {
  package enum Decision: Equatable, Sendable {
    /// This earlier consent covers the request.
    case remembered(ConsentRecord)
    case ask(Reason)
  }

  /// Why the user is asked. The consent page shows the reason.
  package enum Reason: Equatable, Sendable {
    case firstTime
    /// No earlier consent covers the requested scope and resources.
    /// - Parameter known: The scope to which the user has consented before, in one or more consents.
    case newScopes(known: Scope)
    /// The client requested the consent page with `prompt=consent`.
    case requested
    /// Any program on the computer could have sent the request.
    case loopback
    /// Any app on the device could have claimed the scheme.
    case privateUseScheme
    /// No operator registered the client.
    case unverifiedClient
  }

  /// Decides whether to ask, without side effects.
  /// - Parameters:
  ///   - scope: The requested scope, including the scope values that individually requested claims imply.
  ///   - remembered: The user's earlier consents for this client and redirect URI.
  package static func decide(
    redirect: VerifiedRedirect, scope: Scope, resources: [String], prompt: Prompt, remembered: [ConsentRecord]
  ) -> Decision {
    if let reason = self.missingProof(redirect) { return .ask(reason) }
    if prompt.contains(.consent) { return .ask(.requested) }
    guard !remembered.isEmpty else { return .ask(.firstTime) }
    if let consent = remembered.first(where: { self.covers($0, scope, resources) }) { return .remembered(consent) }
    return .ask(.newScopes(known: Scope(remembered.map(\.scope))))
  }

  /// Whether a consent covers the whole request.
  ///
  /// Tokens without a resource are valid only at this server, so a consent with resources does not cover a request
  /// without any, or vice versa.
  private static func covers(_ consent: ConsentRecord, _ scope: Scope, _ resources: [String]) -> Bool {
    consent.scope.contains(scope) && consent.resources.isEmpty == resources.isEmpty
      && resources.allSatisfy(consent.resources.contains)
  }

  /// Whether the consent may be stored for later requests.
  package static func mayRemember(_ redirect: VerifiedRedirect) -> Bool {
    self.missingProof(redirect) == nil
  }

  /// Returns why the client's identity is not proven, or nil if it is proven. Only an `https` redirect URI that an
  /// operator registered proves who receives the response.
  private static func missingProof(_ redirect: VerifiedRedirect) -> Reason? {
    guard redirect.isRegisteredByOperator else { return .unverifiedClient }
    switch redirect.redirectURI.kind {
    case .https: return nil
    case .loopback: return .loopback
    case .privateUse: return .privateUseScheme
    }
  }
}
