import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Handles Ctrl-C and SIGTERM by canceling the demo's task. This ends the server, and the
/// headless browser if the demo started one.
enum Interrupts {
  /// Runs `body` in a task that SIGINT and SIGTERM cancel.
  static func canceling<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { task.cancel() }
      source.activate()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return try await task.value
  }
}
