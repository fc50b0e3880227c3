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

  /// `flock(2)` on an open file: excludes other tasks of this process as well as other processes, and the kernel frees it when its
  /// holder dies.
  package enum AdvisoryLock {
    /// How long to sleep between two tries, in milliseconds: short at first, since most leases are held for one request.
    private static let backOff: [Int] = [1, 2, 5, 10, 20]

    /// Runs `body` while nobody else holds the lock of this open file.
    ///
    /// Tries again and again rather than block a thread: a waiter can be cancelled, and any number of them cost nothing.
    /// - Throws: `CancellationError`, ``TokenStoreError/failed(reason:)``, or what `body` throws.
    package static func withLock<R: Sendable>(
      on descriptor: Int32, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      var attempt = 0
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else {
          throw TokenStoreError.failed(reason: "cannot lock: \(String(cString: strerror(errno)))")
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
