/// Something awaited did not happen in time.
package struct DeadlineError: Error, Sendable, CustomStringConvertible {
  package var what: String
  package var duration: Duration
  package var description: String { "waited \(self.duration) in vain for \(self.what)" }
}

/// Asks again and again until there is an answer, and gives up at the deadline.
/// - Parameters:
///   - what: what is awaited, for the error's text.
///   - duration: how long to wait at most.
/// - Throws: ``DeadlineError``, `CancellationError`, or what `condition` throws.
package func eventually<R>(
  _ what: String, within duration: Duration = .seconds(30), isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> R?
) async throws -> R {
  let deadline = ContinuousClock.now + duration
  while true {
    if let value = try await condition() { return value }
    guard ContinuousClock.now < deadline else { throw DeadlineError(what: what, duration: duration) }
    try await Task.sleep(for: .milliseconds(20))
  }
}
