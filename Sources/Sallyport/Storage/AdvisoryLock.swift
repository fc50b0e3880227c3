#if !os(Windows)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Darwin
  #endif

  /// A lock with `flock(2)` on an open file. It excludes other tasks and other processes, if each of them opens the
  /// file itself. The kernel releases the lock when the process exits.
  package enum AdvisoryLock {
    /// The pauses between attempts, in milliseconds. The last one is repeated. The pauses are short, because the lock
    /// is usually held for no longer than one request takes.
    private static let backOff: [Int] = [1, 2, 5, 10, 20]

    /// Runs `body` while holding the lock of this open file.
    ///
    /// This polls instead of blocking a thread, so that waiting tasks can be canceled and don't occupy threads.
    /// - Throws: `CancellationError`, ``TokenStoreError/failed(reason:)``, or the error that `body` throws.
    package static func withLock<R: Sendable>(
      on descriptor: Int32, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      var attempt = 0
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else {
          throw TokenStoreError.failed(reason: "cannot lock the file: \(String(cString: strerror(errno)))")
        }
        let pause = self.backOff[min(attempt, self.backOff.count - 1)]
        attempt += 1
        try await Task.sleep(for: .milliseconds(pause))
      }
      defer { flock(descriptor, LOCK_UN) }
      try Task.checkCancellation()
      return try await body()
    }
  }
#endif
