/// Runs one operation at a time and shares its result with all concurrent callers.
///
/// No caller owns the operation: if a caller is canceled, it returns early, and the operation continues. For a refresh,
/// this prevents the loss of a rotated token between the server's response and the store.
actor SingleFlight<Value: Sendable, Failure: Error> {
  private var running: Task<Void, Never>?
  private var waiters: [Int: CheckedContinuation<Result<Value, Failure>?, Never>] = [:]
  private var nextWaiter = 0

  /// Joins the running operation, or starts one.
  /// - Returns: The result, or `nil` if the caller was canceled.
  func run(_ operation: @escaping @Sendable () async -> Result<Value, Failure>) async -> Result<Value, Failure>? {
    let waiter = self.nextWaiter
    self.nextWaiter += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: nil) }
        self.waiters[waiter] = continuation
        if self.running == nil { self.start(operation) }
      }
    } onCancel: {
      Task { await self.leave(waiter) }
    }
  }

  /// Waits until no operation is running.
  func settle() async {
    await self.running?.value
  }

  private func start(_ operation: @escaping @Sendable () async -> Result<Value, Failure>) {
    self.running = Task {
      let result = await operation()
      self.finish(result)
    }
  }

  private func finish(_ result: Result<Value, Failure>) {
    self.running = nil
    let waiters = self.waiters.values
    self.waiters = [:]
    for waiter in waiters { waiter.resume(returning: result) }
  }

  private func leave(_ waiter: Int) {
    self.waiters.removeValue(forKey: waiter)?.resume(returning: nil)
  }
}
