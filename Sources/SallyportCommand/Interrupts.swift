import SallyportSystem

extension Interrupts {
  /// Runs `body`, and cancels it on the first SIGINT (Ctrl-C) or SIGTERM. The second signal ends the process
  /// immediately, with the exit code ``ExitStatus/denied``.
  static func canceling<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
    try await self.canceling(exitingWith: ExitStatus.denied.rawValue, body)
  }
}
