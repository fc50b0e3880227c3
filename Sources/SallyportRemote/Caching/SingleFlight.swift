import Synchronization

/// Runs at most one operation per key at a time and shares its result with all concurrent callers.
///
/// No caller owns the operation, so canceling a caller doesn't cancel it. When the operation is a token refresh, a new
/// refresh token that the server has already sent is therefore not lost.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let running = Mutex<[Key: Task<Value, Never>]>([:])

  package init() {}

  /// Returns the operation in progress for the key, or `nil` if there is none.
  package func task(for key: Key) -> Task<Value, Never>? {
    self.running.withLock { $0[key] }
  }

  /// The operations in progress.
  package var tasks: [Task<Value, Never>] {
    self.running.withLock { Array($0.values) }
  }

  /// Joins the operation in progress for the key, or starts one.
  /// - Parameter operation: The operation. It must store its result if later callers are to use it, because a caller
  ///   that comes after the end of the operation starts a new operation.
  /// - Returns: The shared task.
  @discardableResult
  package func start(_ key: Key, _ operation: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
    self.running.withLock { running in
      if let task = running[key] { return task }
      let task = Task {
        let value = await operation()
        // `start` holds the lock until it has added the task to `running`, so this removal happens after that.
        self.running.withLock { $0[key] = nil }
        return value
      }
      running[key] = task
      return task
    }
  }

  /// Joins the operation in progress for the key, or starts one, and waits for its result.
  /// - Returns: The result, or `nil` as soon as the caller is canceled. The operation then continues.
  package func valueUnlessCanceled(
    for key: Key, _ operation: @escaping @Sendable () async -> Value
  ) async -> Value? {
    guard !Task.isCancelled else { return nil }
    return await self.start(key, operation).valueUnlessCanceled
  }
}

extension Task where Failure == Never {
  /// The task's result, or `nil` as soon as the caller is canceled. The task then continues.
  package var valueUnlessCanceled: Success? {
    get async { await self.value(within: nil) }
  }

  /// The task's result, or `nil` if the duration passes first or the caller is canceled. The task then continues.
  /// - Parameter duration: How long to wait, or `nil` for no limit.
  package func value(within duration: Duration?) async -> Success? {
    let (values, continuation) = AsyncStream.makeStream(of: Success.self)
    Task<Void, Never> {
      continuation.yield(await self.value)
      continuation.finish()
    }
    let timer = duration.map { duration in
      Task<Void, Never> {
        try? await Task<Never, Never>.sleep(for: duration)
        continuation.finish()
      }
    }
    defer { timer?.cancel() }
    // Iteration ends early if the caller is canceled.
    for await value in values { return value }
    return nil
  }
}
