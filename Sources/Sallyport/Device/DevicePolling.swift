package import SallyportProtocol

/// When the next poll is due, RFC 8628 §3.5: a value that hears each outcome and says how long to wait.
package struct DevicePolling: Sendable {
  /// As the server wants it, with every `slow_down` since.
  private var interval: Duration
  /// How many polls in a row got no answer.
  private var failures = 0
  private let deadline: Timestamp

  package init(interval: Duration, deadline: Timestamp) {
    self.interval = interval
    self.deadline = deadline
  }

  /// How long to wait before the next poll; nil where it would come too late.
  ///
  /// A server that does not answer is asked half as often each time, down to once a minute.
  package func wait(from now: Timestamp) -> Duration? {
    let longest = max(self.interval, Self.longestPause)
    let wait = min(self.interval * (1 << min(self.failures, 6)), longest)
    return now + wait < self.deadline ? wait : nil
  }

  /// Takes what a poll brought.
  /// - Throws: the error, where it ends the sign-in.
  package mutating func pause(after error: TokenRequestError) throws {
    switch error {
    case .refused(let refusal) where refusal.code == .authorizationPending:
      self.failures = 0
    case .refused(let refusal) where refusal.code == .slowDown:
      // For this and all polls that follow.
      self.interval += .seconds(5)
      self.failures = 0
    case .refused(let refusal) where refusal.code == .expiredToken:
      throw SignInError.timedOut
    case .refused(let refusal) where refusal.code == .accessDenied:
      throw SignInError.denied(refusal)
    case .network(.timedOut), .network(.unreachable), .unavailable:
      self.failures += 1
    default:
      throw error
    }
  }

  private static let longestPause = Duration.seconds(60)
}
