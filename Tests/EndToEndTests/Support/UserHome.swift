import BrowserDriver
import Foundation

/// The home folder and the environment of a user who runs `sallyport`.
struct UserHome: Sendable {
  let folder: String

  var environment: [String: String]

  /// A script that replaces the browser. Its arguments are a file and a URL, and it writes the URL to the file.
  private var browserScript: String { "\(self.folder)/bin/browser" }

  init(folder: String) throws {
    self.folder = folder
    self.environment = [
      "HOME": folder, "PATH": "\(folder)/bin:/usr/bin:/bin", "SALLYPORT_STORE": "file",
      // Hides the desktop and the keyring of this machine from the commands.
      "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": folder,
    ]
    try FileManager.default.createDirectory(atPath: "\(folder)/bin", withIntermediateDirectories: true)
    // The script writes to another file and renames it, so that the test does not read an incomplete URL.
    try self.addProgram("browser", "printf '%s' \"$2\" > \"$1.part\" && mv \"$1.part\" \"$1\"")
  }

  /// Adds a shell script to this user's `PATH`.
  func addProgram(_ name: String, _ script: String) throws {
    let path = "\(self.folder)/bin/\(name)"
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  /// Runs `sallyport` and waits until it exits.
  func sallyport(_ arguments: String...) async throws -> CommandResult {
    try await self.sallyport(arguments)
  }

  /// Runs `sallyport` and waits until it exits.
  func sallyport(_ arguments: [String]) async throws -> CommandResult {
    try await run(self.command(arguments), folder: self.folder)
  }

  /// Starts `sallyport login` and waits until it has passed the URL to the script that replaces the browser.
  func beginLogin(_ arguments: [String]) async throws -> Login {
    let file = "\(self.folder)/\(UUID().uuidString).url"
    return try await self.beginLogin(arguments + ["--browser", "'\(self.browserScript)' '\(file)'"], opening: file)
  }

  /// Starts `sallyport login` and waits until a program of this user has written the URL into a file.
  func beginLogin(_ arguments: [String], opening file: String) async throws -> Login {
    let process = try ChildProcess(self.command(["login"] + arguments), folder: self.folder)
    let url = try await eventually("sallyport login to open the browser") {
      if let url = try? String(contentsOfFile: file, encoding: .utf8) { return url }
      if let status = process.exitStatus {
        throw UnexpectedResult("sallyport login ended with \(status): \(process.output)\(process.errorOutput)")
      }
      return nil
    }
    return Login(process: process, url: url)
  }

  func beginLogin(_ server: ServerHome, _ client: TestClient) async throws -> Login {
    try await self.beginLogin(["--issuer", server.issuer, "--client-id", client.id])
  }

  func command(_ arguments: [String]) -> ChildCommand {
    ChildCommand(BuildFolder.command("sallyport"), arguments, environment: self.environment)
  }
}

/// A sign-in that waits for the user.
struct Login: Sendable {
  var process: ChildProcess
  /// The URL that the browser was asked to open.
  var url: String
}

/// Creates a user with a home folder, and removes the folder after `body`.
func withUser<R>(isolation: isolated (any Actor)? = #isolation, _ body: (UserHome) async throws -> R) async throws -> R {
  try await withTemporaryFolder { try await body(UserHome(folder: $0)) }
}
