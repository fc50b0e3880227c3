import SallyportSystem

extension Interrupts {
  /// Runs `body` and cancels it on the first signal. The second signal ends the process immediately.
  static func canceling<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
    try await self.canceling(exitingWith: ExitStatus.denied.rawValue, body)
  }
}
