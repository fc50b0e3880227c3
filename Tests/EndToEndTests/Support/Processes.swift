import BrowserDriver
import Foundation
import Glibc

/// The result of a command.
struct CommandResult: CustomStringConvertible {
  var status: ExitStatus
  var output: String
  var errorOutput: String

  /// The standard output without line breaks at the beginning and the end, for commands that print one line.
  var line: String { self.output.trimmingCharacters(in: .newlines) }
  var description: String { "\(self.status)\n-- standard output:\n\(self.output)\n-- standard error:\n\(self.errorOutput)" }
}

/// Runs a command and waits until it exits.
func run(_ command: ChildCommand, folder: String, within duration: Duration = .seconds(60)) async throws -> CommandResult {
  let child = try ChildProcess(command, folder: folder)
  defer { child.end() }
  return try await child.finish(within: duration)
}

extension ChildProcess {
  /// Waits until the process exits, and returns its output.
  func finish(within duration: Duration = .seconds(60)) async throws -> CommandResult {
    do {
      let status = try await self.waitForExit(within: duration)
      return CommandResult(status: status, output: self.output, errorOutput: self.errorOutput)
    } catch let error as DeadlineError {
      throw UnexpectedResult("\(error); the output:\n\(self.output)\n\(self.errorOutput)")
    }
  }
}

/// An unexpected result in a test.
struct UnexpectedResult: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Whether a process with this ID is running.
func isRunning(_ identifier: Int32) -> Bool {
  guard let stat = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8) else { return false }
  // The state follows the name, which is in parentheses. Z means that the process has ended (proc(5)).
  return stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst().first != "Z"
}

/// Whether a Unix socket exists at this path.
func isSocket(_ path: String) -> Bool {
  let attributes = try? FileManager.default.attributesOfItem(atPath: path)
  return attributes?[.type] as? FileAttributeType == .typeSocket
}
