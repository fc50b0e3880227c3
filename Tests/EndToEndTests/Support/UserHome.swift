import BrowserDriver
import Foundation

/// A user of the machine with a home folder of their own, and the `sallyport` command in it.
struct UserHome: Sendable {
  let folder: String

  var environment: [String: String]

  /// Stands for a browser: writes the URL, its last argument, into the file that is its first.
  private var handover: String { "\(self.folder)/bin/browser" }

  init(folder: String) throws {
    self.folder = folder
    self.environment = [
      "HOME": folder, "PATH": "\(folder)/bin:/usr/bin:/bin", "SALLYPORT_STORE": "file",
      // Nothing of the machine's own desktop.
      "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder,
    ]
    try FileManager.default.createDirectory(atPath: "\(folder)/bin", withIntermediateDirectories: true)
    // Written aside and renamed, so that nobody reads half a URL.
    try self.addProgram("browser", "printf '%s' \"$2\" > \"$1.part\" && mv \"$1.part\" \"$1\"")
  }

  /// Puts a shell script on this user's `PATH`.
  func addProgram(_ name: String, _ script: String) throws {
    let path = "\(self.folder)/bin/\(name)"
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  /// Runs `sallyport` to its end.
  func sallyport(_ arguments: String...) async throws -> Finished {
    try await run(self.command(arguments), folder: self.folder)
  }

  /// Starts `sallyport login` and waits until it has opened the "browser".
  func beginLogin(_ arguments: [String]) async throws -> Login {
    let file = "\(self.folder)/\(UUID().uuidString).url"
    return try await self.beginLogin(arguments + ["--browser", "'\(self.handover)' '\(file)'"], opening: file)
  }

  /// Starts `sallyport login` and waits until a program of this user has written the URL into a file.
  func beginLogin(_ arguments: [String], opening file: String) async throws -> Login {
    let process = try ChildProcess(self.command(["login"] + arguments), folder: self.folder)
    let address = try await eventually("sallyport login to open the browser") {
      if let address = try? String(contentsOfFile: file, encoding: .utf8) { return address }
      if let status = process.exitStatus {
        throw Unexpected("sallyport login ended with \(status): \(process.output)\(process.errorOutput)")
      }
      return nil
    }
    return Login(process: process, url: address)
  }

  func beginLogin(_ server: ServerHome, _ client: TestClient) async throws -> Login {
    try await self.beginLogin(["--issuer", server.issuer, "--client-id", client.id])
  }

  func command(_ arguments: [String]) -> ChildCommand {
    ChildCommand(BuildFolder.command("sallyport"), arguments, environment: self.environment)
  }
}

/// A sign-in that waits for the person.
struct Login: Sendable {
  var process: ChildProcess
  /// What the browser was asked to open.
  var url: String
}

/// Lends a new user's home.
func withUser<R>(isolation: isolated (any Actor)? = #isolation, _ body: (UserHome) async throws -> R) async throws -> R {
  try await withTemporaryFolder { try await body(UserHome(folder: $0)) }
}
