#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

enum Socket {
  /// The result of waiting for a socket.
  enum Readiness {
    case ready, timedOut
  }

  enum Direction {
    case reading, writing, either
  }

  /// Waits until a socket can be read or written.
  /// - Parameter deadline: When to stop waiting. A deadline in the past checks the socket without waiting.
  static func wait(
    _ descriptor: Int32, _ direction: Direction = .reading, until deadline: ContinuousClock.Instant
  ) -> Readiness {
    let events =
      switch direction {
      case .reading: POLLIN
      case .writing: POLLOUT
      case .either: POLLIN | POLLOUT
      }
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
      // Rounded up, so that the loop does not spin during the last millisecond. After a minute, the loop waits again,
      // because a longer time might not fit into Int32.
      let milliseconds = min(max(seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + (attoseconds > 0 ? 1 : 0), 0), 60_000)
      let count = poll(&entry, 1, Int32(milliseconds))
      if count > 0 { return .ready }
      // An error other than an interruption is reported as ready: the next call to libpq then fails with the reason.
      if count < 0, errno != EINTR { return .ready }
      if ContinuousClock.now >= deadline { return .timedOut }
    }
  }

  /// Suspends the calling thread.
  static func sleep(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
  }
}
