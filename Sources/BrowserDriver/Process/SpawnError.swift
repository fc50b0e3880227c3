/// Thrown when a program cannot be started.
package struct SpawnError: Error, Equatable, Sendable, CustomStringConvertible {
  package var executable: String
  package var reason: String
  package var description: String { "\(self.executable) could not be started: \(self.reason)" }
}
