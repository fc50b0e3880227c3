/// A program to start, with its arguments; no shell is involved.
package struct ChildCommand: Sendable {
  /// An absolute path.
  package var executable: String
  package var arguments: [String]
  /// The whole environment of the child; this process's own when nil.
  package var environment: [String: String]?
  /// What the child reads from its standard input.
  package var input: [UInt8]

  package init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: [UInt8] = []
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
    self.input = input
  }
}
