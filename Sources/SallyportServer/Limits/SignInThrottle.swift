import SallyportProtocol

/// Decides whether a password may be checked now.
///
/// A browser that has signed in to the account before has its own counter, so failures in other browsers do not affect
/// this browser. An attempt in any other browser is counted three times: for the pair of user name and network, for the
/// user name, and for the network. The network is the client's address or, for IPv6, its /64 prefix. The user name is
/// counted whether or not the account exists.
struct SignInThrottle: Sendable {
  struct Attempt: Sendable {
    /// The normalized user name; empty if the text is not a valid user name.
    var username: String
    /// The ``ClientAddress/network`` of the request.
    var network: [UInt8]
    /// The browser's identifier, if the browser is known to have signed in to this account.
    var browser: String?
  }

  fileprivate struct UsernameAndNetwork: Hashable {
    var username: String
    var network: [UInt8]
  }

  fileprivate struct KnownBrowser: Hashable {
    var id: String
    var username: String
  }

  private var usernamesAndNetworks: RateLimiter<UsernameAndNetwork>
  private var usernames: RateLimiter<String>
  private var networks: RateLimiter<[UInt8]>
  private var knownBrowsers: RateLimiter<KnownBrowser>

  /// - Parameter capacity: The maximum number of entries of each of the four counters.
  init(_ limits: SignInLimits, capacity: Int = 50_000) {
    self.usernamesAndNetworks = RateLimiter(
      fast: SignInLimits.usernameAndAddress.fast, slow: SignInLimits.usernameAndAddress.slow, capacity: capacity)
    self.usernames = RateLimiter(fast: limits.account.fast, slow: limits.account.slow, capacity: capacity)
    self.networks = RateLimiter(fast: limits.address.fast, slow: limits.address.slow, capacity: capacity)
    self.knownBrowsers = RateLimiter(
      fast: SignInLimits.knownBrowser.fast, slow: SignInLimits.knownBrowser.slow, capacity: capacity)
  }

  /// The number of entries of all counters.
  var count: Int { self.usernamesAndNetworks.count + self.usernames.count + self.networks.count + self.knownBrowsers.count }

  /// Counts an attempt as a failure before its password is checked, so that parallel attempts cannot exceed the limit.
  /// - Returns: How long to wait, in which case nothing is counted; nil to check the password.
  mutating func begin(_ attempt: Attempt, at now: Timestamp) -> Duration? {
    if let browser = attempt.knownBrowser {
      if let wait = self.knownBrowsers.wait(browser, at: now) { return wait }
      self.knownBrowsers.add(browser, at: now)
      return nil
    }
    let waits = [
      self.usernamesAndNetworks.wait(attempt.usernameAndNetwork, at: now), self.usernames.wait(attempt.username, at: now),
      self.networks.wait(attempt.network, at: now),
    ]
    if let wait = waits.compactMap(\.self).max() { return wait }
    self.usernamesAndNetworks.add(attempt.usernameAndNetwork, at: now)
    self.usernames.add(attempt.username, at: now)
    self.networks.add(attempt.network, at: now)
    return nil
  }

  /// Handles a correct password. Resets the counter whose failures the user probably caused: the counter of the known
  /// browser, or otherwise of the user name and network.
  ///
  /// The other counters only undo this attempt. Otherwise an attacker could reset the counter of a network by signing
  /// in to their own account, and a user's sign-in would reset the counter of an attack on the account.
  mutating func succeed(_ attempt: Attempt, at now: Timestamp) {
    if let browser = attempt.knownBrowser { return self.knownBrowsers.forget(browser) }
    self.usernamesAndNetworks.forget(attempt.usernameAndNetwork)
    self.usernames.refund(attempt.username, at: now)
    self.networks.refund(attempt.network, at: now)
  }

  /// Undoes ``begin(_:at:)`` for an attempt that the server could not complete.
  mutating func refund(_ attempt: Attempt, at now: Timestamp) {
    if let browser = attempt.knownBrowser { return self.knownBrowsers.refund(browser, at: now) }
    self.usernamesAndNetworks.refund(attempt.usernameAndNetwork, at: now)
    self.usernames.refund(attempt.username, at: now)
    self.networks.refund(attempt.network, at: now)
  }
}

extension SignInThrottle.Attempt {
  fileprivate var usernameAndNetwork: SignInThrottle.UsernameAndNetwork {
    .init(username: self.username, network: self.network)
  }

  fileprivate var knownBrowser: SignInThrottle.KnownBrowser? {
    self.browser.map { .init(id: $0, username: self.username) }
  }
}
