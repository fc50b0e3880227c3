import SallyportProtocol

/// The choice among the browser's sessions for an interaction.
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
  /// Chooses one of the browser's sessions for this request. The first rule that applies decides:
  ///
  /// 1. If the client names an account with `id_token_hint` or the `sub` claim, the session of this account. If the
  ///    account is not signed in, the first session, which does not satisfy the request.
  /// 2. If the user has chosen an account or signed in for this request, the session of this account.
  /// 3. If several accounts are signed in, and `login_hint` is the user name or the verified email address of exactly
  ///    one of them, the session of this account.
  /// 4. If only one account is signed in, or the request has `prompt=login` or `prompt=create`, so that the user must
  ///    sign in anyway, the first session.
  /// 5. Otherwise, the user must choose.
  ///
  /// A user who chose to sign in with another account must sign in. With `prompt=select_account`, the user must choose
  /// unless rule 2 applies (OpenID Connect Core §3.1.2.1). A sign-in that was not for this request, such as in another
  /// window, does not count as a choice.
  /// - Parameter sessions: The browser's sessions, the default one first.
  package func choice(among sessions: [BrowserSessions.Active]) -> SessionChoice {
    guard let first = sessions.first else { return .decided(nil) }
    if let subject = self.parameters.subject {
      let session = sessions.first { $0.account.id == subject } ?? first
      return self.asksForAccount ? .open : .decided(session)
    }
    if let chosen = sessions.first(where: { $0.account.id == self.chosenAccount }) { return .decided(chosen) }
    // The prompt contains `select_account`, so the first session does not satisfy the request.
    if self.switchesAccount { return .decided(first) }
    let prompt = self.parameters.prompt
    if prompt.contains(.selectAccount) { return .open }
    let hinted = sessions.filter { self.parameters.names($0.account) }
    if sessions.count > 1, hinted.count == 1 { return .hinted(hinted[0]) }
    return sessions.count == 1 || !prompt.isDisjoint(with: [.login, .create]) ? .decided(first) : .open
  }

  /// Whether the client requires the user to choose an account, and the user has neither chosen one, nor signed in for
  /// this request, nor chosen to sign in with another account.
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
