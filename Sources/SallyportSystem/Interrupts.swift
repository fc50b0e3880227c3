#if !os(Windows) && !os(Android)
  import Dispatch
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// Handles Ctrl-C and SIGTERM by canceling the running task.
  package enum Interrupts {
    /// Runs `body` and cancels it on the first signal.
    /// - Parameter status: The exit code with which the second signal ends the process immediately. With `nil`,
    ///   further signals have no effect.
    package static func canceling<R: Sendable>(
      exitingWith status: Int32?, _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
      let task = Task { try await body() }
      let count = Counter()
      let sources = [SIGINT, SIGTERM].map { number in
        #if canImport(Darwin)
          // On Darwin, a dispatch source does not replace the signal's default action, which would end the process. The
          // signal stays ignored after `body` has returned.
          signal(number, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
          if let status, count.next() > 1 { exit(status) }
          task.cancel()
        }
        source.activate()
        return source
      }
      defer { for source in sources { source.cancel() } }
      return try await task.value
    }
  }

  /// Counts calls: the first call to `next()` returns 1.
  private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      self.count.withLock { count in
        count += 1
        return count
      }
    }
  }
#endif
