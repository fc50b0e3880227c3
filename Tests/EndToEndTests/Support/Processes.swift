import BrowserDriver
import Foundation
import Glibc

/// What a command did, once it has ended.
struct Finished: CustomStringConvertible {
  var status: ExitStatus
  var output: String
  var errorOutput: String

  /// The one line on standard output.
  var line: String { self.output.trimmingCharacters(in: .newlines) }
  var description: String { "\(self.status)\n-- standard output:\n\(self.output)\n-- standard error:\n\(self.errorOutput)" }
}

/// Runs a command to its end.
func run(_ command: ChildCommand, folder: String, within duration: Duration = .seconds(60)) async throws -> Finished {
  let child = try ChildProcess(command, folder: folder)
  defer { child.end() }
  return try await child.finish(within: duration)
}

extension ChildProcess {
  /// Waits for the end, and takes what was said.
  func finish(within duration: Duration = .seconds(60)) async throws -> Finished {
    do {
      let status = try await self.waitForExit(within: duration)
      return Finished(status: status, output: self.output, errorOutput: self.errorOutput)
    } catch let error as DeadlineError {
      throw Unexpected("\(error); it said:\n\(self.output)\n\(self.errorOutput)")
    }
  }
}

/// A failure of a test's own course, with everything a reader needs.
struct Unexpected: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Whether a process with this number is there and has not ended.
func isRunning(_ identifier: Int32) -> Bool {
  guard let stat = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8) else { return false }
  // proc(5): the state stands after the name, which is in brackets; Z has ended and waits to be reaped.
  return stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst().first != "Z"
}

/// Whether there is a Unix socket at this path.
func isSocket(_ path: String) -> Bool {
  var information = stat()
  return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFSOCK
}
