/// A program and its arguments, which run without a shell.
package struct ChildCommand: Sendable {
  /// An absolute path.
  package var executable: String
  package var arguments: [String]
  /// The child's environment, or `nil` to use this process's environment.
  package var environment: [String: String]?
  /// The child's standard input.
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
