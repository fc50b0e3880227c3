/// Thrown when a condition is not met in time.
package struct DeadlineError: Error, Sendable, CustomStringConvertible {
  /// What the caller waited for.
  package var what: String
  package var duration: Duration
  package var description: String { "timed out after \(self.duration) waiting for \(self.what)" }
}

/// Evaluates a condition repeatedly until it returns a value.
/// - Parameters:
///   - what: What the function waits for. The description of ``DeadlineError`` contains this text.
///   - duration: The maximum time to wait.
/// - Throws: ``DeadlineError``, `CancellationError`, or the error that `condition` throws.
package func eventually<R>(
  _ what: String, within duration: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> R?
) async throws -> R {
  let deadline = ContinuousClock.now + duration
  while true {
    if let value = try await condition() { return value }
    guard ContinuousClock.now < deadline else { throw DeadlineError(what: what, duration: duration) }
    try await Task.sleep(for: .milliseconds(20))
  }
}
