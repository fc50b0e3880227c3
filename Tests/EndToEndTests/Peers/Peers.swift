import BrowserDriver
import Foundation

/// The independent programs that `Scripts/peers` has fetched, where it says they are.
enum Peers {
  /// `Scripts/test` sets it, and then the tests must find what they need.
  static let folder = ProcessInfo.processInfo.environment["SALLYPORT_PEERS"]

  static let areThere = folder != nil
  static let hint = "needs SALLYPORT_PEERS=$(Scripts/peers)"

  static var python: String { "\(self.folder ?? "")/venv/bin/python" }
  static var glewlwyd: String { "\(self.folder ?? "")/glewlwyd/usr" }
  static var apache: String { "\(self.folder ?? "")/apache/usr" }

  /// A program of ours in `Tests/Peers` that uses a peer.
  static func script(_ name: String, _ arguments: [String], input: String = "") -> ChildCommand {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return ChildCommand(
      self.python, [tests.appending(path: "Peers/\(name)").path] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"], input: Array(input.utf8))
  }

  /// Starts a server that says `ready` when it accepts connections.
  static func start(_ command: ChildCommand, folder: String) async throws -> ChildProcess {
    let server = try ChildProcess(command, folder: folder)
    do {
      try await eventually("\(command.arguments.first ?? "") to start", within: .seconds(30)) {
        if let status = server.exitStatus { throw Unexpected("it ended with \(status): \(server.output)\(server.errorOutput)") }
        return server.output.contains("ready\n") ? () : nil
      }
      return server
    } catch {
      server.end()
      throw error
    }
  }
}
