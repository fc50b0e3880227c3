import SallyportProtocol
import Testing

@testable import SallyportServer

@Suite("Limits for password attempts")
struct SignInThrottleTests {
  private let start = Timestamp(seconds: 1_800_000_000)

  /// An attempt from a browser that has not signed in to the account before. Each address number is a network of its
  /// own.
  private func unknown(_ username: String, _ addressNumber: UInt16 = 1) -> SignInThrottle.Attempt {
    .init(username: username, network: [UInt8(addressNumber >> 8), UInt8(addressNumber & 0xFF), 0, 1])
  }

  /// An attempt from a browser that has signed in to the account before. `id` identifies the browser.
  private func known(_ username: String, _ id: String = "b") -> SignInThrottle.Attempt {
    .init(username: username, network: [9, 9, 9, 9], browser: id)
  }

  /// Tries all attempts at every step, as if each password were wrong.
  /// - Returns: How many attempts the throttle allowed.
  private func tryAll(
    _ throttle: inout SignInThrottle, from first: Timestamp, for time: Duration, step: Duration = .seconds(5),
    _ attempts: [SignInThrottle.Attempt]
  ) -> Int {
    var (now, allowed) = (first, 0)
    while now < first + time {
      for attempt in attempts where throttle.begin(attempt, at: now) == nil { allowed += 1 }
      now = now + step
    }
    return allowed
  }

  @Test("for one name from one address, five wrong passwords are allowed at once, and then one per minute")
  func usernameAndAddress() {
    var throttle = SignInThrottle(SignInLimits())
    for _ in 0..<5 { #expect(throttle.begin(self.unknown("ada"), at: self.start) == nil) }
    #expect(throttle.begin(self.unknown("ada"), at: self.start) == .seconds(60))
    #expect(throttle.begin(self.unknown("ada"), at: self.start + .seconds(59)) == .seconds(1))
    #expect(throttle.begin(self.unknown("ada"), at: self.start + .seconds(60)) == nil)
    #expect(throttle.begin(self.unknown("ada"), at: self.start + .seconds(60)) == .seconds(60))
    // The limit applies neither to the same name from another address, nor to another name.
    #expect(throttle.begin(self.unknown("ada", 2), at: self.start) == nil)
    #expect(throttle.begin(self.unknown("bob"), at: self.start) == nil)
  }

  @Test("one address gets fewer than a hundred guesses per day for one name")
  func oneAddress() {
    var throttle = SignInThrottle(SignInLimits())
    // The slower of the two limits allows 20 guesses at once, and then one per 30 minutes, which is 48 per day.
    #expect(self.tryAll(&throttle, from: self.start, for: .seconds(86_400), [self.unknown("ada")]) == 67)
    #expect(
      self.tryAll(&throttle, from: self.start + .seconds(86_400), for: .seconds(86_400), [self.unknown("ada")]) == 48)
  }

  @Test("a thousand addresses together get a hundred guesses for one name, and then four per hour")
  func manyAddresses() {
    var throttle = SignInThrottle(SignInLimits())
    let manyAddresses = (1...1_000).map { self.unknown("ada", UInt16($0)) }
    let first = self.tryAll(&throttle, from: self.start, for: .seconds(3_600), step: .seconds(60), manyAddresses)
    #expect((100...104).contains(first))
    let later = self.tryAll(
      &throttle, from: self.start + .seconds(3_600), for: .seconds(10 * 3_600), step: .seconds(60), manyAddresses)
    // The throttle allows four per hour, for ten hours.
    #expect((39...41).contains(later))
    // No account is locked permanently: an attempt a quarter of an hour after the last one is allowed.
    let after = self.start + .seconds(11 * 3_600 + 900)
    #expect(throttle.begin(self.unknown("ada", 2_000), at: after) == nil)
  }

  @Test("a known browser is allowed even if other browsers fail, including browsers at the same address")
  func knownBrowser() {
    var throttle = SignInThrottle(SignInLimits())
    let manyAddresses = (1...1_000).map { self.unknown("ada", UInt16($0)) }
    let neighbor = SignInThrottle.Attempt(username: "ada", network: [9, 9, 9, 9])
    _ = self.tryAll(&throttle, from: self.start, for: .seconds(600), step: .seconds(20), manyAddresses + [neighbor])
    let now = self.start + .seconds(590)
    #expect(throttle.begin(neighbor, at: now) != nil)
    #expect(throttle.begin(self.known("ada"), at: now) == nil)
    throttle.succeed(self.known("ada"), at: now)
    // The known browser's success does not reset the limits of the other browsers.
    for attempt in manyAddresses { #expect(throttle.begin(attempt, at: now) != nil) }
  }

  @Test("each known browser has its own limit, which recovers")
  func knownBrowserBudget() {
    var throttle = SignInThrottle(SignInLimits())
    for _ in 0..<10 { #expect(throttle.begin(self.known("ada"), at: self.start) == nil) }
    #expect(throttle.begin(self.known("ada"), at: self.start) == .seconds(60))
    #expect(throttle.begin(self.known("ada", "other"), at: self.start) == nil)
    #expect(throttle.begin(self.known("bob"), at: self.start) == nil)
    // The slower of the two limits allows 25 attempts at once, and then one per 20 minutes: 96 on the first day.
    var anotherThrottle = SignInThrottle(SignInLimits())
    #expect((90...100).contains(self.tryAll(&anotherThrottle, from: self.start, for: .seconds(86_400), [self.known("ada")])))
    // The known browser's failures do not delay unknown browsers either.
    #expect(throttle.begin(self.unknown("ada"), at: self.start) == nil)
  }

  @Test("parallel attempts are counted before any password is checked")
  func parallel() {
    var throttle = SignInThrottle(SignInLimits())
    #expect((0..<1_000).filter { _ in throttle.begin(self.unknown("ada"), at: self.start) == nil }.count == 5)
  }

  @Test("an attempt whose password was not checked is not counted, nor is one that the throttle rejected")
  func refund() {
    var throttle = SignInThrottle(SignInLimits())
    for attempt in [self.unknown("ada"), self.known("ada")] {
      for _ in 0..<500 {
        #expect(throttle.begin(attempt, at: self.start) == nil)
        throttle.refund(attempt, at: self.start)
      }
    }
    #expect(throttle.count == 0)
    for _ in 0..<500 { _ = throttle.begin(self.unknown("ada"), at: self.start) }
    #expect(throttle.begin(self.unknown("ada"), at: self.start + .seconds(60)) == nil)
  }

  @Test("a success resets only the failures for the same name from the same address")
  func success() {
    var throttle = SignInThrottle(SignInLimits())
    var now = self.start
    // An attacker who signs in to their own account in between still runs out of guesses for other accounts.
    var allowed = 0
    for round in 0..<2_000 {
      now = now + .seconds(1)
      if throttle.begin(self.unknown("victim\(round)"), at: now) == nil { allowed += 1 }
      if throttle.begin(self.unknown("own"), at: now) == nil { throttle.succeed(self.unknown("own"), at: now) }
    }
    // The faster of the two limits for an address allows 20 failures at once, and then one per 5 seconds. The slower
    // limit allows even fewer failures in this time, but this upper bound is sufficient for the test.
    #expect(allowed < 20 + 2_000 / 5 + 1)
    #expect(throttle.begin(self.unknown("victim"), at: now) != nil)
    // A user who succeeds after four mistakes has five attempts again.
    for _ in 0..<4 { #expect(throttle.begin(self.unknown("ada", 7), at: now) == nil) }
    #expect(throttle.begin(self.unknown("ada", 7), at: now) == nil)
    throttle.succeed(self.unknown("ada", 7), at: now)
    for _ in 0..<5 { #expect(throttle.begin(self.unknown("ada", 7), at: now) == nil) }
    #expect(throttle.begin(self.unknown("ada", 7), at: now) == .seconds(60))
  }

  @Test("one address gets at most 200 guesses for all accounts, and then one per minute")
  func spraying() {
    var throttle = SignInThrottle(SignInLimits())
    let attempts = (0..<2_000).map { self.unknown("user\($0)") }
    let allowed = self.tryAll(&throttle, from: self.start, for: .seconds(7_200), step: .seconds(5), attempts)
    // The throttle allows 200 at first, and one per minute for two hours.
    #expect((318...322).contains(allowed))
  }

  @Test("if the clock is set back by a year, users do not have to wait for a year")
  func clockSetBack() throws {
    var throttle = SignInThrottle(SignInLimits())
    for _ in 0..<5 { _ = throttle.begin(self.unknown("ada"), at: self.start) }
    let before = self.start - .seconds(365 * 86_400)
    let rejected = throttle.begin(self.unknown("ada"), at: before)
    let wait = try #require(rejected)
    #expect(wait <= .seconds(1_800))
    #expect(throttle.begin(self.unknown("ada"), at: before + wait) == nil)
  }

  @Test("a flood of made-up names and addresses uses bounded memory, and keeps the counter of an attacked account")
  func flood() {
    var throttle = SignInThrottle(SignInLimits(), capacity: 1_000)
    let manyAddresses = (1...100).map { self.unknown("ada", UInt16($0)) }
    _ = self.tryAll(&throttle, from: self.start, for: .seconds(3_000), step: .seconds(60), manyAddresses)
    let now = self.start + .seconds(3_000)
    for number in 0..<20_000 {
      let network = [UInt8(100), UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
      let attempt = SignInThrottle.Attempt(username: "made up \(number)", network: network)
      #expect(throttle.begin(attempt, at: now + .milliseconds(number)) == nil)
      _ = throttle.begin(self.known("ada", "b\(number)"), at: now)
    }
    // The throttle has four counters, each with the given capacity.
    #expect(throttle.count <= 4 * 1_000)
    #expect(throttle.begin(self.unknown("ada", 5_000), at: now + .seconds(20)) != nil)
  }
}
