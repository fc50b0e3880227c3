package import SallyportProtocol
import Synchronization

/// Signs users in with a user name and a password, within rate limits.
package final class PasswordSignIn: Sendable {
  let accounts: Accounts
  /// Recognizes, by a cookie, the browsers with which users have signed in before. Each of these browsers has its own
  /// limit for failed sign-ins.
  let browsers: KnownBrowsers
  /// Issues and checks the proofs that a user may choose a new password.
  let changeProofs: PasswordChangeProofs
  /// Which factors a user needs to change the password.
  let changePolicy: SensitiveChangePolicy
  /// Signaled when a password change has ended sessions, so that clients are notified of the logout.
  let logoutSignal: WakeSignal
  private let rejections: AuditRejections
  private let now: TimeSource
  /// Counts the attempts of this process, including those whose passwords are being checked.
  private let throttle: Mutex<SignInThrottle>
  /// Counts the failures of all processes.
  private let counters: SignInCounters

  init(
    accounts: Accounts, browsers: KnownBrowsers, changeProofs: PasswordChangeProofs, changePolicy: SensitiveChangePolicy,
    limits: SignInLimits, counters: SignInCounters, logoutSignal: WakeSignal, rejections: AuditRejections,
    now: @escaping TimeSource
  ) {
    self.counters = counters
    self.accounts = accounts
    self.browsers = browsers
    self.changeProofs = changeProofs
    self.changePolicy = changePolicy
    self.logoutSignal = logoutSignal
    self.rejections = rejections
    self.now = now
    self.throttle = Mutex(SignInThrottle(limits))
  }

  package enum Outcome: Sendable {
    /// - Parameter browser: The new cookie of ``KnownBrowsers``; nil if it cannot be sealed.
    case success(AccountRecord, browser: Secret<String>?)
    /// The password is correct, but no longer meets the policy. The user must choose a new one.
    /// - Parameter proof: The proof for ``changePassword(to:repeated:proof:from:browser:origin:)``.
    case passwordChangeNeeded(AccountRecord, proof: Secret<String>)
    /// The account does not exist, the password is wrong, or the account is disabled. The user does not learn which.
    case rejected
    /// There were too many failures. The password was not checked, and the user must wait this long.
    case throttled(Duration)
    /// Too many password checks are waiting.
    case overloaded
  }

  /// Checks a user name and password, like ``Accounts/check(_:of:)``, within the limits for failed sign-ins.
  /// - Parameter cookie: The browser's cookie of ``KnownBrowsers``.
  package func run(
    username text: String, password: Secret<String>, from address: ClientAddress, browser cookie: String?,
    origin: AuditOrigin
  ) async throws -> Outcome {
    let username = Username(text)
    let account = try await self.accounts.account(named: username)
    let browser = self.browsers.open(cookie)
    let isKnown = account.flatMap { browser?.hasSignedIn(to: $0) } ?? false
    let attempt = SignInThrottle.Attempt(
      username: username?.value ?? "", network: address.network, browser: isKnown ? browser?.id : nil)

    // Check the counters of the store, and then the counters of this process, which also count this attempt.
    let earlier = try await self.counters.read(attempt, at: self.now())
    if let wait = earlier.wait ?? self.begin(attempt) {
      self.note(account, .throttled, from: origin)
      return .throttled(wait)
    }
    let result: Accounts.SignIn
    do { result = try await self.accounts.check(password, of: account) } catch {
      self.refund(attempt)
      throw error
    }
    switch result {
    case .rejected(let reason):
      self.note(account, reason, from: origin)
      try await self.counters.add(attempt, at: self.now())
      return .rejected
    case .overloaded:
      self.note(account, .overloaded, from: origin)
      self.refund(attempt)
      return .overloaded
    case .success(let account):
      self.succeed(attempt)
      try await self.counters.reset(earlier)
      // The policy may have become stricter since the user chose the password. If the proof cannot be sealed, the user
      // signs in with the old password.
      let evidence = AuthenticationContext.Evidence(AuthenticationContext.password, at: self.now())
      if try await self.accounts.violation(by: password, of: account) != nil,
        let proof = self.changeProofs.seal(account, evidence)
      {
        return .passwordChangeNeeded(account, proof: proof)
      }
      return .success(account, browser: self.browsers.seal(adding: account, to: browser))
    }
  }

  // MARK: Counting

  /// Counts an attempt as a failure before its password is checked.
  /// - Returns: How long the user must wait; nil to check the password.
  func begin(_ attempt: SignInThrottle.Attempt) -> Duration? {
    self.throttle.withLock { $0.begin(attempt, at: self.now()) }
  }

  /// Undoes ``begin(_:)`` for an attempt that the server could not complete, for example because it is overloaded.
  func refund(_ attempt: SignInThrottle.Attempt) {
    self.throttle.withLock { $0.refund(attempt, at: self.now()) }
  }

  /// Handles a correct password: resets the counter whose failures the user probably caused
  /// (``SignInThrottle/succeed(_:at:)``).
  func succeed(_ attempt: SignInThrottle.Attempt) {
    self.throttle.withLock { $0.succeed(attempt, at: self.now()) }
  }

  /// Records a failed sign-in. Leaves out an unknown user name, because it may be a password in the wrong field.
  private func note(_ account: AccountRecord?, _ reason: AuditReason, from origin: AuditOrigin) {
    self.rejections.note(.signInRejected, reason, account: account?.id, from: origin)
  }
}
