package import SallyportProtocol

/// A validated logout request (OpenID Connect RP-Initiated Logout §2). Only ``LogoutRequests`` creates one.
package struct LogoutRequest: Sendable {
  /// The client that sent the request, if known.
  package let client: ClientRecord?
  /// The account of the ID token hint; nil without a hint.
  package let account: AccountID?
  /// The session of the ID token hint; nil without a hint, or if the hint has no `sid`.
  package let sessionID: String?
  /// The registered redirect URI to return to after the sign-out; nil if the request has none.
  package let redirectURI: RedirectURI?
  package let state: String?
  /// `ui_locales`, limited to 128 characters.
  package var uiLocales: String?

  init(client: ClientRecord?, account: AccountID?, sessionID: String?, redirectURI: RedirectURI?, state: String?) {
    self.client = client
    self.account = account
    self.sessionID = sessionID
    self.redirectURI = redirectURI
    self.state = state
  }

  /// Creates a request of a user who signs out on the server's own page, without a client.
  package init() {
    self.init(client: nil, account: nil, sessionID: nil, redirectURI: nil, state: nil)
  }

  /// The URL to which the browser is redirected after the sign-out; nil if the request has no redirect URI.
  package var location: String? {
    guard let uri = self.redirectURI else { return nil }
    guard let state = self.state else { return uri.value }
    return uri.appending([("state", state)])
  }

  /// The reason that is recorded in the audit trail.
  var auditReason: AuditReason {
    if self.account != nil { .hint } else if self.client != nil { .app } else { .user }
  }

  /// Whether an operator registered the client. Only then may the server redirect to the client's redirect URI without
  /// user interaction (rule S-31).
  package var isRegisteredByOperator: Bool { self.client?.origin == .operator }

  /// How the user and the session in the ID token hint relate to the browser's session.
  package enum SessionRelation: Sendable, Equatable {
    /// The hint names the browser's session, or names the signed-in user but no session, or there is no hint.
    case sameSession
    /// The hint names the signed-in user, but a different session, such as an earlier session or a session in
    /// another browser.
    case otherSession
    /// The hint names another user.
    case otherUser
  }

  /// Returns the browser's session of the account in the ID token hint. Without a hint, or if this account is not
  /// signed in, returns the default session. Returns nil if no user is signed in.
  /// - Parameter sessions: The browser's sessions, the default one first.
  package func session(among sessions: [BrowserSessions.Active]) -> BrowserSessions.Active? {
    sessions.first { $0.account.id == self.account } ?? sessions.first
  }

  /// Returns how the request relates to a session.
  ///
  /// The user must confirm the sign-out if the ID token does not belong to the current session or user (RP-Initiated
  /// Logout §2), and the confirmation page shows why.
  package func relation(to session: BrowserSessionRecord) -> SessionRelation {
    guard let account = self.account else { return .sameSession }
    guard account == session.account else { return .otherUser }
    if let sessionID = self.sessionID, sessionID != session.id { return .otherSession }
    return .sameSession
  }
}
