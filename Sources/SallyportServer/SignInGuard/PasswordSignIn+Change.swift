package import SallyportProtocol

extension PasswordSignIn {
  package enum Change: Sendable {
    /// - Parameter browser: the cookie by which this browser is known from now on.
    case success(AccountRecord, browser: Secret<String>?)
    case refused(AccountRecord, ChangeRefusal)
    /// The proof has expired, or the account has changed since.
    case proofInvalid
  }

  package enum ChangeRefusal: Sendable, Equatable {
    /// The two entries differ.
    case different
    case violation(PasswordPolicy.Violation)
    /// Too many attempts came before. Nothing was looked at.
    case slowed(Duration)
    case overloaded
  }

  /// Sets the password that a user has chosen because the old one no longer meets the policy.
  ///
  /// Attempts count like sign-ins: with the same budget, so that a proof does not buy unlimited work of the server.
  /// - Parameters:
  ///   - repeated: the second entry.
  ///   - proof: from ``Outcome/passwordChangeNeeded(_:proof:)``.
  ///   - cookie: that of ``KnownBrowsers``, as the browser sent it.
  package func changePassword(
    to password: Secret<String>, repeated: Secret<String>, proof: Secret<String>, from address: ClientAddress,
    browser cookie: String?, origin: AuditOrigin
  ) async throws -> Change {
    guard let proof = self.changes.open(proof.reveal()), let account = try await self.accounts.account(proof.account),
      proof.isCurrent(for: account)
    else { return .proofInvalid }
    let browser = self.browsers.open(cookie)
    let attempt = SignInThrottle.Attempt(
      username: account.username.value, network: address.network,
      browser: browser?.knows(account) == true ? browser?.id : nil)
    if let wait = self.begin(attempt) { return .refused(account, .slowed(wait)) }
    guard password.reveal() == repeated.reveal() else { return .refused(account, .different) }
    if let violation = self.accounts.violation(by: password, of: account) { return .refused(account, .violation(violation)) }

    let changed: AccountRecord?
    do { changed = try await self.accounts.changePassword(of: account, to: password, from: origin) } catch {
      self.takeBack(attempt)
      guard case PasswordHasherError.overloaded = error else { throw error }
      return .refused(account, .overloaded)
    }
    guard let changed else { return .proofInvalid }
    self.succeed(attempt)
    self.deliveries.send()
    return .success(changed, browser: self.browsers.seal(adding: changed, to: browser))
  }
}
