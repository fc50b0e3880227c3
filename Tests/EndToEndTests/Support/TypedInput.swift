import BrowserDriver
import Foundation

/// The standard input of a command, to which a test writes while the command runs.
final class TypedInput: Sendable {
  private let path: String
  private let descriptor: Int32

  init(folder: String) throws {
    self.path = "\(folder)/\(UUID().uuidString).typed"
    guard mkfifo(self.path, 0o600) == 0 else { throw UnexpectedResult("no pipe at \(self.path)") }
    // If the pipe were opened only for writing, `open` would wait until the command opens it for reading.
    self.descriptor = open(self.path, O_RDWR | O_CLOEXEC)
    guard self.descriptor >= 0 else { throw UnexpectedResult("\(self.path) could not be opened") }
  }

  deinit { close(self.descriptor) }

  func type(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(self.descriptor, $0.baseAddress, $0.count) }
  }

  /// Returns the command with this standard input.
  func command(_ command: ChildCommand) -> ChildCommand {
    ChildCommand(
      "/bin/sh", ["-c", "exec \"$@\" < \"$0\"", self.path, command.executable] + command.arguments,
      environment: command.environment)
  }
}
