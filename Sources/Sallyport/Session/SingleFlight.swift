/// Runs one operation at a time for all who want its result.
///
/// The operation belongs to nobody who waits: a caller that is cancelled leaves, and the operation goes on to its end. For a
/// refresh this is what keeps a rotated token from being lost between the server's answer and the store.
actor SingleFlight<Value: Sendable, Failure: Error> {
  private var running: Task<Void, Never>?
  private var waiters: [Int: CheckedContinuation<Result<Value, Failure>?, Never>] = [:]
  private var nextWaiter = 0

  /// Joins the operation that is under way, or starts one.
  /// - Returns: the result, or nil where the caller was cancelled.
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

  /// Waits until nothing is under way.
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
