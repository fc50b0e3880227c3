package import SallyportProtocol

/// A client and one of its registered redirect URIs, matched byte for byte or by the loopback rule, with the request's state.
///
/// Only ``verify(client:requested:state:rules:)`` makes one, and only with one can a browser be redirected.
package struct VerifiedRedirect: Sendable {
  package let client: ClientRecord
  package let redirectURI: RedirectURI
  package let state: String?
  /// How the answer goes there.
  package let mode: ResponseMode

  private init(client: ClientRecord, redirectURI: RedirectURI, state: String?, mode: ResponseMode = .query) {
    self.client = client
    self.redirectURI = redirectURI
    self.state = state
    self.mode = mode
  }

  /// RFC 8252 §7.3 and §8.4.
  /// - Throws: ``AuthorizeError/page(_:)``
  package static func verify(
    client: ClientRecord, requested: String, state: String?, rules: RedirectRules
  ) throws(AuthorizeError) -> VerifiedRedirect {
    // A registered URI was checked when it was registered.
    let registered = client.redirectURIs.first { $0.value.utf8.elementsEqual(requested.utf8) }
    if let registered, rules.admits(registered) {
      return VerifiedRedirect(client: client, redirectURI: registered, state: state)
    }
    let redirectURI: RedirectURI
    do { redirectURI = try RedirectURI(requested, schemes: rules.schemes) } catch { throw .page(.redirectURIInvalid(error)) }
    guard client.redirectURIs.contains(where: { rules.matches($0, redirectURI, of: client) }) else {
      throw .page(.redirectURINotRegistered)
    }
    return VerifiedRedirect(client: client, redirectURI: redirectURI, state: state)
  }

  /// Whether an operator vouched for where the answer goes, so that a browser may be sent there unasked (rule S-31).
  package var isVouchedFor: Bool { self.client.origin == .operator }

  /// The same redirect without a state that cannot be trusted.
  func withoutState() -> VerifiedRedirect {
    VerifiedRedirect(client: self.client, redirectURI: self.redirectURI, state: nil, mode: self.mode)
  }

  /// The same redirect with another way for the answer. A private-use scheme takes no posts.
  func responding(by mode: ResponseMode) -> VerifiedRedirect {
    VerifiedRedirect(
      client: self.client, redirectURI: self.redirectURI, state: self.state,
      mode: self.redirectURI.kind == .privateUse ? .query : mode)
  }

  /// A successful answer, RFC 6749 §4.1.2 with `iss` of RFC 9207.
  package func answer(code: Secret<String>, issuer: Issuer) -> AuthorizationAnswer {
    self.answer([("code", code.reveal())], issuer: issuer)
  }

  /// An error answer, RFC 6749 §4.1.2.1 with `iss` of RFC 9207.
  package func answer(
    error: OAuthErrorCode, reason: AuthorizeError.RedirectReason, issuer: Issuer
  ) -> AuthorizationAnswer {
    self.answer([("error", error.description), ("error_description", reason.description)], issuer: issuer)
  }

  private func answer(_ parameters: [(name: String, value: String)], issuer: Issuer) -> AuthorizationAnswer {
    let state = self.state.map { [(name: "state", value: $0)] } ?? []
    return AuthorizationAnswer(self, parameters + state + [(name: "iss", value: issuer.value)])
  }
}
