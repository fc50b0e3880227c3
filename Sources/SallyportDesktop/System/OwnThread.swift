import Dispatch

/// Runs work that blocks where it can starve nothing: a thread of its own, outside Swift's cooperative pool.
enum OwnThread {
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

  /// A serial queue is served by Dispatch's overcommitting pool, which starts a thread however many others are blocked.
  static func start(_ label: String, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "sallyport.\(label)").async(execute: body)
  }
}
