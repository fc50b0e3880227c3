package import SallyportProtocol

/// What a sign-in at an upstream must know about a request to this server: the parameters to pass on (OpenID Connect
/// Core §3.1.2.1), and how new the resulting session must be.
package struct UpstreamHints: Sendable {
  package var prompt: Prompt = []
  /// The `max_age` of the request, in seconds.
  package var maxAge: Int64?
  package var loginHint: String?
  package var locales: [String] = []
  /// Whether the `auth_time` of the resulting session must not be earlier than the request. If false, the user may have
  /// signed in at the provider long before the request, and `auth_time` is that earlier time.
  package var needsNewSession = false
  /// Like ``needsNewSession``, but for a user who enters a second-factor code of this server after the sign-in at the
  /// upstream.
  package var needsNewSessionWithCode = false

  package init() {}

  /// The hints for a user who must sign in again.
  package static var reauthentication: UpstreamHints {
    var hints = UpstreamHints()
    hints.prompt = .login
    hints.needsNewSession = true
    hints.needsNewSessionWithCode = true
    return hints
  }

  /// Whether `prompt=login` or ``maxAge`` limits how long ago the user may have authenticated at the provider. The ID
  /// token must then contain `auth_time`.
  var needsNewAuthentication: Bool { self.prompt.contains(.login) || self.maxAge != nil }
}

extension Interaction {
  /// What an upstream must know about the request. `prompt=none` is never passed on, because the user has chosen the
  /// upstream on a page.
  package var upstreamHints: UpstreamHints {
    var hints = UpstreamHints()
    hints.prompt = self.parameters.prompt.intersection([.login, .selectAccount])
    hints.maxAge = self.parameters.maxAge
    hints.loginHint = self.parameters.loginHint
    hints.locales = self.parameters.uiLocales?.split(separator: " ").map { String($0) } ?? []
    // Whether a sign-in with these methods does not satisfy the requested `acr` values. Such a sign-in is accepted only
    // in a session that is newer than the request (``accepts(_:)``).
    func isTooWeak(_ methods: [String]) -> Bool {
      self.parameters.contexts.map { !AuthenticationContext.satisfies($0, with: methods) } ?? false
    }
    hints.needsNewSession = hints.prompt.contains(.login) || isTooWeak(AuthenticationContext.federated)
    hints.needsNewSessionWithCode = hints.prompt.contains(.login) || isTooWeak(AuthenticationContext.federatedWithCode)
    return hints
  }
}
