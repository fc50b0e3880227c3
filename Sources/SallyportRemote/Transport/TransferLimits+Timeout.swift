extension TransferLimits {
  /// Runs an exchange, and cancels it after ``timeout``.
  /// - Throws: The error of the exchange, or ``TransportError/timedOut``.
  package func enforcingTimeout(
    _ exchange: @escaping @Sendable () async -> Result<TransportResponse, TransportError>
  ) async throws(TransportError) -> TransportResponse {
    let outcome = await withTaskGroup(of: Result<TransportResponse, TransportError>?.self) { group in
      group.addTask { await exchange() }
      group.addTask {
        do {
          try await Task.sleep(for: self.timeout)
          return .failure(.timedOut)
        } catch {
          return nil
        }
      }
      // The timer's task returns nil only if the caller was canceled. The loop then waits for the exchange's
      // result.
      var outcome: Result<TransportResponse, TransportError>?
      while outcome == nil, let next = await group.next() { outcome = next }
      group.cancelAll()
      return outcome ?? .failure(.cancelled)
    }
    return try outcome.get()
  }
}
