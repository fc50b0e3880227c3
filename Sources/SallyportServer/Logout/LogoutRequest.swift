package import SallyportProtocol

/// A checked request to sign somebody out, OpenID Connect RP-Initiated Logout §2. Only ``LogoutRequests`` makes one.
package struct LogoutRequest: Sendable {
  /// Who asks, where it is known.
  package let client: ClientRecord?
  /// Whom the client means.
  package let account: AccountID?
  /// In which of the person's sessions the client got the ID token that it shows.
  package let sessionID: String?
  /// Where the person goes afterwards: a registered address of ``client``.
  package let redirectURI: RedirectURI?
  package let state: String?

  init(client: ClientRecord?, account: AccountID?, sessionID: String?, redirectURI: RedirectURI?, state: String?) {
    self.client = client
    self.account = account
    self.sessionID = sessionID
    self.redirectURI = redirectURI
    self.state = state
  }

  /// The person's own wish, at no app's request.
  package init() {
    self.init(client: nil, account: nil, sessionID: nil, redirectURI: nil, state: nil)
  }

  /// Where the browser is sent in the end.
  package var location: String? {
    self.redirectURI.map { uri in self.state.map { uri.appending([("state", $0)]) } ?? uri.value }
  }

  /// By whose wish the person signs out, for the audit trail.
  var auditReason: AuditReason {
    if self.account != nil { .hint } else if self.client != nil { .app } else { .person }
  }

  /// Whether an operator vouched for where the person goes, so that a browser may be sent there unasked (rule S-31).
  package var isVouchedFor: Bool { self.client?.origin == .operator }

  /// Whom a request means, seen from the browser that brings it.
  package enum Aim: Sendable, Equatable {
    /// Whoever is signed in here: this very session, or nobody was named.
    case here
    /// The person who is signed in here, by another sign-in: an earlier one, or one in another browser.
    case otherSession
    /// Somebody who is not signed in here.
    case otherPerson
  }

  /// RP-Initiated Logout §2: the person is asked about an ID token that "does not belong to the current OP session with the RP and/or
  /// currently logged in End-User", and can only answer when they are told. Pure.
  package func aim(in session: BrowserSessionRecord) -> Aim {
    guard let account = self.account else { return .here }
    guard account == session.account else { return .otherPerson }
    return self.sessionID.map { $0 == session.id } ?? true ? .here : .otherSession
  }
}
