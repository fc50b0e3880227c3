import Synchronization

/// The last line of a terminal, which says what the command is waiting for and how much time is left. Without a
/// terminal, nothing is displayed.
final class WaitingLine: Sendable {
  private let timeout: Duration
  private let ticker = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter timeout: How long the command waits.
  init(timeout: Duration) {
    self.timeout = timeout
  }

  /// Shows the line and updates it every second.
  /// - Parameters:
  ///   - text: What the command is waiting for, as the end of "Waiting for …".
  ///   - limit: The time after which the command stops waiting, if that is before the timeout.
  func begin(_ text: String, within limit: Duration? = nil) {
    guard Output.hasReader else { return }
    let deadline = ContinuousClock.now + min(self.timeout, limit ?? self.timeout)
    self.ticker.withLock { ticker in
      ticker?.cancel()
      ticker = Task {
        while !Task.isCancelled {
          Output.status("Waiting for \(text): \(Self.format(deadline - .now)) left.")
          try? await Task.sleep(for: .seconds(1))
        }
      }
    }
  }

  /// Removes the line.
  func end() {
    let ticker = self.ticker.withLock { ticker in
      defer { ticker = nil }
      return ticker
    }
    ticker?.cancel()
    Output.status(nil)
  }

  /// A duration of minutes and seconds, for example `9:59`.
  static func format(_ duration: Duration) -> String {
    let seconds = max(0, Int((duration / .seconds(1)).rounded()))
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }

  /// A duration in words, for example `90 seconds`, `10 minutes`, or `7 hours and 59 minutes`. Durations of two
  /// minutes or more have no seconds, and durations of 48 hours or more have no minutes.
  static func words(_ duration: Duration) -> String {
    let seconds = max(1, Int((duration / .seconds(1)).rounded()))
    let (minutes, hours) = (seconds / 60, seconds / 3600)
    if hours >= 48 { return self.words(hours / 24, "day", hours % 24, "hour") }
    if minutes >= 120 { return self.words(hours, "hour", minutes % 60, "minute") }
    let usesMinutes = seconds % 60 == 0 || seconds >= 120
    return usesMinutes ? self.words(minutes, "minute") : self.words(seconds, "second")
  }

  private static func words(_ count: Int, _ unit: String, _ smallerCount: Int, _ smallerUnit: String) -> String {
    let words = self.words(count, unit)
    return smallerCount == 0 ? words : "\(words) and \(self.words(smallerCount, smallerUnit))"
  }

  private static func words(_ count: Int, _ unit: String) -> String {
    count == 1 ? "one \(unit)" : "\(count) \(unit)s"
  }

  /// The timeout in words.
  var limit: String { Self.words(self.timeout) }
}
