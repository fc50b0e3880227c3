import SallyportProtocol

/// Who may try a password now. A value: the time is passed in.
///
/// A browser that has signed in to the account before is counted by itself and by nothing else, so that no stranger's failures
/// stop it. All others are counted three times: for this name from this address, for the name, and for the address. It is the
/// *name* that is counted: whether there is such an account changes nothing.
struct SignInThrottle: Sendable {
  struct Attempt: Sendable {
    /// In the form in which names are compared; empty for what can be no name.
    var username: String
    var network: [UInt8]
    /// The browser, where it is known to have signed in to this account.
    var browser: String?
  }

  fileprivate struct Pair: Hashable {
    var username: String
    var place: [UInt8]
  }

  fileprivate struct KnownBrowser: Hashable {
    var id: String
    var username: String
  }

  private var pairs: Throttle<Pair>
  private var accounts: Throttle<String>
  private var addresses: Throttle<[UInt8]>
  private var browsers: Throttle<KnownBrowser>

  init(_ limits: SignInLimits, capacity: Int = 50_000) {
    self.pairs = Throttle(fast: SignInLimits.pair.fast, slow: SignInLimits.pair.slow, capacity: capacity)
    self.accounts = Throttle(fast: limits.account.fast, slow: limits.account.slow, capacity: capacity)
    self.addresses = Throttle(fast: limits.address.fast, slow: limits.address.slow, capacity: capacity)
    self.browsers = Throttle(
      fast: SignInLimits.knownBrowser.fast, slow: SignInLimits.knownBrowser.slow, capacity: capacity)
  }

  /// The entries of all counts.
  var count: Int { self.pairs.count + self.accounts.count + self.addresses.count + self.browsers.count }

  /// Counts an attempt as a failure, before its password is checked: of many at once no more are checked than may fail.
  /// - Returns: how long to wait, where nothing was counted and no password may be checked; nil to go on.
  mutating func begin(_ attempt: Attempt, at now: Timestamp) -> Duration? {
    if let browser = attempt.knownBrowser {
      if let wait = self.browsers.wait(browser, at: now) { return wait }
      self.browsers.add(browser, at: now)
      return nil
    }
    let waits = [
      self.pairs.wait(attempt.pair, at: now), self.accounts.wait(attempt.username, at: now),
      self.addresses.wait(attempt.network, at: now),
    ]
    if let wait = waits.compactMap(\.self).max() { return wait }
    self.pairs.add(attempt.pair, at: now)
    self.accounts.add(attempt.username, at: now)
    self.addresses.add(attempt.network, at: now)
    return nil
  }

  /// The password was right. The failures before it count for nothing where the same person made them: in this browser, or on
  /// this account from this address. For the others only the attempt itself is taken back: whoever attacks from an address would
  /// clear its count with an account of their own, and the owner's sign-in that of the guesses on theirs.
  mutating func succeed(_ attempt: Attempt, at now: Timestamp) {
    if let browser = attempt.knownBrowser { return self.browsers.forget(browser) }
    self.pairs.forget(attempt.pair)
    self.accounts.takeBack(attempt.username, at: now)
    self.addresses.takeBack(attempt.network, at: now)
  }

  /// The password was not checked after all.
  mutating func takeBack(_ attempt: Attempt, at now: Timestamp) {
    if let browser = attempt.knownBrowser { return self.browsers.takeBack(browser, at: now) }
    self.pairs.takeBack(attempt.pair, at: now)
    self.accounts.takeBack(attempt.username, at: now)
    self.addresses.takeBack(attempt.network, at: now)
  }
}

extension SignInThrottle.Attempt {
  fileprivate var pair: SignInThrottle.Pair { .init(username: self.username, place: self.network) }

  fileprivate var knownBrowser: SignInThrottle.KnownBrowser? {
    self.browser.map { .init(id: $0, username: self.username) }
  }
}
