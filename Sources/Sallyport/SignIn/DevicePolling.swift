package import SallyportProtocol
package import SallyportRemote

/// Computes the time of the next poll (RFC 8628 §3.5).
package struct DevicePolling: Sendable {
  /// The interval that the server asked for, increased by each `slow_down`.
  private var interval: Duration
  /// How many polls in a row failed temporarily.
  private var failures = 0
  private let deadline: Timestamp

  package init(interval: Duration, deadline: Timestamp) {
    self.interval = interval
    self.deadline = deadline
  }

  /// The time to wait before the next poll, or `nil` if the deadline would have passed by then.
  ///
  /// After each poll that fails temporarily, the wait doubles, up to one minute or the server's interval, whichever is
  /// longer.
  package func wait(from now: Timestamp) -> Duration? {
    let longest = max(self.interval, Self.longestPause)
    // The exponent is limited to prevent an overflow. With 6, an interval of one second already exceeds the longest
    // pause.
    let wait = min(self.interval * (1 << min(self.failures, 6)), longest)
    return now + wait < self.deadline ? wait : nil
  }

  /// Records the error of a poll.
  /// - Throws: The error, if it ends the sign-in.
  package mutating func record(_ error: TokenRequestError) throws {
    switch error {
    case .refused(let errorResponse): try self.record(errorResponse, error)
    case .network(.timedOut), .network(.unreachable), .unavailable: self.failures += 1
    default: throw error
    }
  }

  private mutating func record(_ errorResponse: OAuthErrorResponse, _ error: TokenRequestError) throws {
    switch errorResponse.code.kind {
    case .pending: self.failures = 0
    case .slowDown:
      // The longer interval applies to this and all later polls (RFC 8628 §3.5).
      self.interval += .seconds(5)
      self.failures = 0
    case .temporary: self.failures += 1
    default: throw errorResponse.code == .expiredToken ? SignInError.timedOut : error
    }
  }

  private static let longestPause = Duration.seconds(60)
}
