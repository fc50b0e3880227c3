package import SallyportProtocol

/// A client and one of its registered redirect URIs, with the request's `state`. The URI is equal to a registered one
/// byte for byte, or is a loopback URI that differs only in the port, if ``RedirectRules/matches(_:_:of:)`` allows
/// this.
///
/// A value can be obtained only from ``verify(client:requested:state:rules:)``, and each authorization response
/// requires one.
package struct VerifiedRedirect: Sendable {
  package let client: ClientRecord
  package let redirectURI: RedirectURI
  package let state: String?
  /// How the response is returned to the client.
  package let mode: ResponseMode

  private init(client: ClientRecord, redirectURI: RedirectURI, state: String?, mode: ResponseMode = .query) {
    self.client = client
    self.redirectURI = redirectURI
    self.state = state
    self.mode = mode
  }

  /// Verifies a requested redirect URI against the client's registered ones (RFC 8252 §7.3 and §8.4).
  /// - Throws: ``AuthorizeError/page(_:)``
  package static func verify(
    client: ClientRecord, requested: String, state: String?, rules: RedirectRules
  ) throws(AuthorizeError) -> VerifiedRedirect {
    // An exact match need not be parsed, because the registered URI was parsed at registration.
    let registered = client.redirectURIs.first { $0.value.utf8.elementsEqual(requested.utf8) }
    if let registered, rules.allows(registered) {
      return VerifiedRedirect(client: client, redirectURI: registered, state: state)
    }
    let redirectURI: RedirectURI
    do { redirectURI = try RedirectURI(requested, schemes: rules.schemes) } catch { throw .page(.redirectURIInvalid(error)) }
    guard client.redirectURIs.contains(where: { rules.matches($0, redirectURI, of: client) }) else {
      throw .page(.redirectURINotRegistered)
    }
    return VerifiedRedirect(client: client, redirectURI: redirectURI, state: state)
  }

  /// Whether an operator registered the redirect URI. Only then may the server redirect to it without user interaction
  /// (rule S-31).
  package var isRegisteredByOperator: Bool { self.client.origin == .operator }

  /// Returns the error that ends an authorization request: an error response to the client if an operator registered
  /// the redirect URI, and otherwise a page. The server does not redirect automatically to a site that no operator has
  /// approved (RFC 9700 §4.11.2).
  func error(_ code: OAuthErrorCode, _ reason: AuthorizeError.RedirectReason) -> AuthorizeError {
    self.isRegisteredByOperator ? .redirect(self, code, reason) : .page(.unverifiedRedirect(code))
  }

  /// Returns the same redirect without a `state`, because the `state` parameter was repeated.
  func withoutState() -> VerifiedRedirect {
    VerifiedRedirect(client: self.client, redirectURI: self.redirectURI, state: nil, mode: self.mode)
  }

  /// Returns the same redirect with this response mode. A redirect to a private-use scheme always uses `query`.
  func responding(by mode: ResponseMode) -> VerifiedRedirect {
    VerifiedRedirect(
      client: self.client, redirectURI: self.redirectURI, state: self.state,
      mode: self.redirectURI.kind == .privateUse ? .query : mode)
  }

  /// A successful response (RFC 6749 §4.1.2) with `iss` (RFC 9207).
  package func response(code: Secret<String>, issuer: Issuer) -> AuthorizationResponse {
    self.response([("code", code.reveal())], issuer: issuer)
  }

  /// An error response (RFC 6749 §4.1.2.1) with `iss` (RFC 9207).
  package func response(
    error: OAuthErrorCode, reason: AuthorizeError.RedirectReason, issuer: Issuer
  ) -> AuthorizationResponse {
    self.response([("error", error.description), ("error_description", reason.description)], issuer: issuer)
  }

  private func response(_ parameters: [(name: String, value: String)], issuer: Issuer) -> AuthorizationResponse {
    let state = self.state.map { [(name: "state", value: $0)] } ?? []
    return AuthorizationResponse(self, parameters + state + [(name: "iss", value: issuer.value)])
  }
}
