/// How many sign-ins may fail before users must wait. The sign-in page shows how long they must wait. No account is
/// locked permanently.
public struct SignInLimits: Sendable, Equatable {
  /// The number of failures for an account, from all addresses, in browsers that have not signed in to it before. After
  /// that, one failure per 15 minutes is allowed. NIST SP 800-63B §5.2.2 allows 100 consecutive failures.
  public var perAccount = 100
  /// The number of failures from an address, for all accounts, in browsers that have not signed in to the account
  /// before. After that, one failure per minute is allowed. Many users may share an address.
  public var perAddress = 200

  public init() {}

  // One user name from one address: five failures at once, then one per minute; after 20, one per 30 minutes. This
  // allows 67 failures on the first day, and 48 on each later day.
  static let usernameAndAddress = (
    fast: RateLimit(5, thenOneEach: .seconds(60)), slow: RateLimit(20, thenOneEach: .seconds(1800))
  )
  // A browser that has signed in to the account before, and whose cookies may have been stolen: 96 failures on the
  // first day, and 72 on each later day.
  static let knownBrowser = (fast: RateLimit(10, thenOneEach: .seconds(60)), slow: RateLimit(25, thenOneEach: .seconds(1200)))

  // One account from all addresses: guesses from many addresses at once are slowed down after the first 20, so that
  // operators have time to notice them. In the long run, four failures per hour are allowed.
  var account: (fast: RateLimit, slow: RateLimit) {
    (RateLimit(20, thenOneEach: .seconds(20)), RateLimit(self.perAccount, thenOneEach: .seconds(900)))
  }

  // One address, for all accounts.
  var address: (fast: RateLimit, slow: RateLimit) {
    (RateLimit(20, thenOneEach: .seconds(5)), RateLimit(self.perAddress, thenOneEach: .seconds(60)))
  }
}
