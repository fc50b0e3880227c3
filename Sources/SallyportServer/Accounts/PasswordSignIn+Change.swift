package import SallyportProtocol

extension PasswordSignIn {
  package enum Change: Sendable {
    /// - Parameters:
    ///   - browser: The new cookie of ``KnownBrowsers``.
    ///   - evidence: How and when the user was authenticated, for the new session.
    case success(AccountRecord, browser: Secret<String>?, AuthenticationContext.Evidence)
    case rejected(AccountRecord, ChangeFailure)
    /// The proof is invalid or has expired, the account has changed in the meantime, or the user may not change the
    /// password without another sign-in.
    case proofInvalid
  }

  package enum ChangeFailure: Sendable, Equatable {
    /// The two entries of the new password differ.
    case entriesDiffer
    case violation(PasswordPolicy.Violation)
    /// There were too many attempts. The user must wait this long.
    case throttled(Duration)
    case overloaded
  }

  /// Returns the proof with which a signed-in user can choose a new password; nil if it cannot be sealed. This
  /// function does not check whether the user may change the password;
  /// ``changePassword(to:repeated:proof:from:browser:origin:)`` does.
  package func changeProof(for session: BrowserSessions.Active) -> Secret<String>? {
    let evidence = AuthenticationContext.Evidence(session.record.authenticationMethods, at: session.record.authenticatedAt)
    return self.changeProofs.seal(session.account, evidence, credential: session.record.fingerprint)
  }

  /// Sets a new password that the user chose.
  ///
  /// Attempts count toward the limits for sign-ins (``SignInThrottle``), because hashing is expensive.
  /// - Parameters:
  ///   - repeated: The second entry of the new password.
  ///   - proof: The proof of ``Outcome/passwordChangeNeeded(_:proof:)`` or ``changeProof(for:)``.
  ///   - cookie: The browser's cookie of ``KnownBrowsers``.
  package func changePassword(
    to password: Secret<String>, repeated: Secret<String>, proof: Secret<String>, from address: ClientAddress,
    browser cookie: String?, origin: AuditOrigin
  ) async throws -> Change {
    guard let proof = self.changeProofs.open(proof.reveal()), let account = try await self.accounts.account(proof.account),
      proof.isCurrent(for: account)
    else { return .proofInvalid }
    let browser = self.browsers.open(cookie)
    let attempt = SignInThrottle.Attempt(
      username: account.username.value, network: address.network,
      browser: browser?.hasSignedIn(to: account) == true ? browser?.id : nil)
    if let wait = self.begin(attempt) { return .rejected(account, .throttled(wait)) }
    guard password.reveal() == repeated.reveal() else { return .rejected(account, .entriesDiffer) }
    if let violation = try await self.accounts.violation(by: password, of: account) {
      return .rejected(account, .violation(violation))
    }

    let changed: AccountRecord?
    do {
      changed = try await self.accounts.changePassword(of: account, to: password, proof, by: self.changePolicy, from: origin)
    } catch {
      // The user is not responsible for this failure, so the attempt does not count.
      self.refund(attempt)
      guard case PasswordHasherError.overloaded = error else { throw error }
      return .rejected(account, .overloaded)
    }
    guard let changed else { return .proofInvalid }
    self.succeed(attempt)
    self.logoutSignal.send()
    return .success(changed, browser: self.browsers.seal(adding: changed, to: browser), proof.evidence)
  }
}
