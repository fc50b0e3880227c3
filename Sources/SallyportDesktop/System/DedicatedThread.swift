import Dispatch

/// Runs blocking work on a separate thread, outside Swift's cooperative thread pool.
enum DedicatedThread {
  /// Runs `body` on a thread.
  /// - Parameter label: A name for debuggers.
  static func run<R: Sendable, E: Error>(
    _ label: String, _ body: @escaping @Sendable () throws(E) -> R
  ) async throws(E) -> R {
    try await self.result(label, body).get()
  }

  static func result<R: Sendable, E: Error>(
    _ label: String, _ body: @escaping @Sendable () throws(E) -> R
  ) async -> Result<R, E> {
    await withCheckedContinuation { continuation in
      self.start(label) { continuation.resume(returning: Result(catching: body)) }
    }
  }

  /// Starts the work on a serial queue. Dispatch starts a new thread for it even if other threads are blocked.
  static func start(_ label: String, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "sallyport.\(label)").async(execute: body)
  }
}
