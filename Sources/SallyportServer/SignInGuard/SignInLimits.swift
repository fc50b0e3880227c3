/// How many sign-ins may fail before somebody has to wait. Who waits is told how long; nobody is locked out for good.
public struct SignInLimits: Sendable, Equatable {
  /// Failures on one account from all browsers that have not signed in to it before, all addresses together. NIST SP 800-63B
  /// §5.2.2 allows 100 in a row.
  public var perAccount = 100
  /// Failures from one address on all accounts, for browsers that are not known: an address may be that of a whole company.
  public var perAddress = 200

  public init() {}

  // Five typing mistakes cost nothing; then a minute each, and after twenty half an hour: 67 on a first day, 48 on each later
  // one.
  static let pair = (fast: RateLimit(5, thenOneEach: .seconds(60)), slow: RateLimit(20, thenOneEach: .seconds(1800)))
  // The person's own browser, or one that was stolen with its cookies: 97 on a first day, 72 on each later one.
  static let knownBrowser = (fast: RateLimit(10, thenOneEach: .seconds(60)), slow: RateLimit(25, thenOneEach: .seconds(1200)))

  // Quick guesses from many addresses soon come singly, so that somebody may notice. In the long run four in an hour get through.
  var account: (fast: RateLimit, slow: RateLimit) {
    (RateLimit(20, thenOneEach: .seconds(20)), RateLimit(self.perAccount, thenOneEach: .seconds(900)))
  }

  var address: (fast: RateLimit, slow: RateLimit) {
    (RateLimit(20, thenOneEach: .seconds(5)), RateLimit(self.perAddress, thenOneEach: .seconds(60)))
  }
}
