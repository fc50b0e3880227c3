import SallyportProtocol

/// The session with which an interaction continues, if several accounts are signed in with the browser.
package enum SessionChoice: Sendable {
  /// - Parameter session: The session, which may not satisfy the request. Nil if no user is signed in.
  case decided(BrowserSessions.Active?)
  /// The session of the account that `login_hint` names, of several.
  case hinted(BrowserSessions.Active)
  /// The user must choose.
  case open

  package var session: BrowserSessions.Active? {
    switch self {
    case .decided(let session): session
    case .hinted(let session): session
    case .open: nil
    }
  }
}

extension Interaction {
  /// Decides which of the browser's sessions is for this request, if that is clear:
  ///
  /// 1. the account that the client names with `id_token_hint` or the `sub` claim,
  /// 2. the account that the user chose, or with which the user signed in for this request,
  /// 3. the account that `login_hint` names by its user name or verified email address, and
  /// 4. the only account that is signed in.
  ///
  /// `prompt=select_account` asks even then, unless the user has chosen or signed in for this request (OpenID Connect Core
  /// §3.1.2.1). A sign-in for something else, such as in another window, decides nothing.
  /// - Parameter sessions: The browser's sessions, the default one first.
  package func choice(among sessions: [BrowserSessions.Active]) -> SessionChoice {
    guard let first = sessions.first else { return .decided(nil) }
    if let subject = self.parameters.subject {
      let session = sessions.first { $0.account.id == subject } ?? first
      return self.asksForAccount ? .open : .decided(session)
    }
    if let chosen = sessions.first(where: { $0.account.id == self.chosenAccount }) { return .decided(chosen) }
    let prompt = self.parameters.prompt
    if prompt.contains(.selectAccount) { return .open }
    if sessions.count > 1, let hinted = sessions.first(where: { self.parameters.names($0.account) }) { return .hinted(hinted) }
    return sessions.count == 1 || !prompt.isDisjoint(with: [.login, .create]) ? .decided(first) : .open
  }

  /// Whether the client asked that the user chooses an account, and the user has not done so.
  package var asksForAccount: Bool {
    self.parameters.prompt.contains(.selectAccount) && self.chosenAccount == nil
  }
}

extension AuthorizationParameters {
  /// Whether `login_hint` is the user name or the verified email address of an account.
  fileprivate func names(_ account: AccountRecord) -> Bool {
    guard let hint = self.loginHint else { return false }
    if let username = Username(hint), username == account.username { return true }
    guard account.emailVerifiedAt != nil, let email = EmailAddress(hint) else { return false }
    return email.value.lowercased() == account.email?.lowercased()
  }
}
