import SallyportProtocol

/// With which of the browser's sessions an interaction continues.
package enum SessionChoice: Sendable {
  /// This session, which might not satisfy the request; nil if no user is signed in.
  case decided(BrowserSessions.Active?)
  /// The session of the account that `login_hint` names, if several accounts are signed in.
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
  /// If the account of step 1 is not signed in, the choice is the first session, which does not satisfy the request. The same
  /// applies to `prompt=login` and `prompt=create` without an account of steps 2 and 3, because the user must sign in anyway,
  /// and to a user who chose to sign in with another account.
  ///
  /// With `prompt=select_account`, the user is asked, unless the user has chosen or signed in for this request (OpenID
  /// Connect Core §3.1.2.1). A sign-in for something else, such as in another window, decides nothing.
  /// - Parameter sessions: The browser's sessions, the default one first.
  package func choice(among sessions: [BrowserSessions.Active]) -> SessionChoice {
    guard let first = sessions.first else { return .decided(nil) }
    if let subject = self.parameters.subject {
      let session = sessions.first { $0.account.id == subject } ?? first
      return self.asksForAccount ? .open : .decided(session)
    }
    if let chosen = sessions.first(where: { $0.account.id == self.chosenAccount }) { return .decided(chosen) }
    if self.switchesAccount { return .decided(first) }
    let prompt = self.parameters.prompt
    if prompt.contains(.selectAccount) { return .open }
    if sessions.count > 1, let hinted = sessions.first(where: { self.parameters.names($0.account) }) { return .hinted(hinted) }
    return sessions.count == 1 || !prompt.isDisjoint(with: [.login, .create]) ? .decided(first) : .open
  }

  /// Whether the client asked that the user chooses an account, and the user has neither chosen one, nor signed in for this
  /// request, nor chosen to sign in with another account.
  package var asksForAccount: Bool {
    self.parameters.prompt.contains(.selectAccount) && self.chosenAccount == nil && !self.switchesAccount
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
