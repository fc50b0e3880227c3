package import SallyportProtocol

/// A client and one of its registered redirect URIs, matched byte for byte or by the loopback rule, with the request's state.
///
/// Only ``verify(client:requested:state:anyLocalhostPort:)`` makes one, and only with one can a browser be redirected.
package struct VerifiedRedirect: Sendable {
  package let client: ClientRecord
  package let redirectURI: RedirectURI
  package let state: String?

  private init(client: ClientRecord, redirectURI: RedirectURI, state: String?) {
    self.client = client
    self.redirectURI = redirectURI
    self.state = state
  }

  /// RFC 8252 §7.3 and §8.4.
  /// - Throws: ``AuthorizeError/page(_:)``
  package static func verify(
    client: ClientRecord, requested: String, state: String?, anyLocalhostPort: Bool
  ) throws(AuthorizeError) -> VerifiedRedirect {
    // What is registered was checked when it was.
    if let registered = client.redirectURIs.first(where: { $0.value.utf8.elementsEqual(requested.utf8) }) {
      return VerifiedRedirect(client: client, redirectURI: registered, state: state)
    }
    let redirectURI: RedirectURI
    do { redirectURI = try RedirectURI(requested) } catch { throw .page(.redirectURIInvalid(error)) }
    guard client.redirectURIs.contains(where: { $0.matches(requested: redirectURI, anyLocalhostPort: anyLocalhostPort) }) else {
      throw .page(.redirectURINotRegistered)
    }
    return VerifiedRedirect(client: client, redirectURI: redirectURI, state: state)
  }

  /// Whether an operator vouched for where the answer goes, so that a browser may be sent there unasked (rule S-31).
  package var isVouchedFor: Bool { self.client.origin == .operator }

  /// The same redirect without a state that cannot be trusted.
  func withoutState() -> VerifiedRedirect {
    VerifiedRedirect(client: self.client, redirectURI: self.redirectURI, state: nil)
  }

  /// The location of a successful answer, RFC 6749 §4.1.2 with `iss` of RFC 9207.
  package func location(code: Secret<String>, issuer: Issuer) -> String {
    self.location([("code", code.reveal())], issuer: issuer)
  }

  /// The location of an error answer, RFC 6749 §4.1.2.1 with `iss` of RFC 9207.
  package func location(error: OAuthErrorCode, reason: AuthorizeError.RedirectReason, issuer: Issuer) -> String {
    self.location([("error", error.description), ("error_description", reason.description)], issuer: issuer)
  }

  private func location(_ parameters: [(name: String, value: String)], issuer: Issuer) -> String {
    let state = self.state.map { [(name: "state", value: $0)] } ?? []
    return self.redirectURI.appending(parameters + state + [(name: "iss", value: issuer.value)])
  }
}
