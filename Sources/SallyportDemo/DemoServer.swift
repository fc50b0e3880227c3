import BrowserDriver
import Foundation
import Glibc
import SallyportProtocol

/// The `sallyportd` executable in the same folder as this program, run with a data directory and port of its own.
struct DemoServer: Sendable {
  static let clientID = "sallyport-demo"

  let dataDirectory: String
  let port: UInt16
  var issuer: String { "http://localhost:\(self.port)" }

  /// Adds the client and the user, or gives the user of an earlier run a new password.
  /// - Parameters:
  ///   - folder: An existing folder for the output of the commands.
  ///   - replacesUser: Whether to remove the user of an earlier run and add a new one. A new headless browser does not
  ///     have that user's passkeys, and the user must sign in with one of them before adding another.
  func prepare(folder: String, replacesUser: Bool) async throws -> DemoUser {
    let clients = try await self.sallyportd(["client", "list"], folder: folder)
    if !Self.names(in: clients).contains(Self.clientID) {
      try await self.sallyportd(
        [
          "client", "add", "--client-id", Self.clientID, "--name", "Sallyport demo app", "--type", "native",
          "--redirect-uri", "http://127.0.0.1/oauth2redirect/localhost",
          "--redirect-uri", "http://[::1]/oauth2redirect/localhost",
        ], folder: folder)
    }
    let user = DemoUser(password: Secret(RandomText.base64URL(bits: 96)))
    let users = try await self.sallyportd(["user", "list"], folder: folder)
    var isKnown = Self.names(in: users).contains(DemoUser.username)
    if isKnown, replacesUser {
      try await self.sallyportd(["user", "remove", DemoUser.username], folder: folder)
      isKnown = false
    }
    let command =
      isKnown
      ? ["user", "password", DemoUser.username]
      : ["user", "add", DemoUser.username, "--name", "Demo User", "--email", "demo@example.com"]
    try await self.sallyportd(command, input: user.password.reveal() + "\n", folder: folder)
    return user
  }

  /// Starts the server, passes its process to `body` when the server accepts connections, and then stops the server.
  func withRunningServer<R: Sendable>(folder: String, _ body: (ChildProcess) async throws -> R) async throws -> R {
    let process = try ChildProcess(
      try self.command([
        "serve", "--issuer", self.issuer, "--port", "\(self.port)", "--name", "Sallyport demo", "--log-level", "info",
      ]), folder: folder)
    defer { process.end() }
    try await eventually("the server to accept connections") {
      if ServerLog(process.errorOutput).contains("serving") { return () }
      guard let status = process.exitStatus else { return nil }
      throw DemoError("The server stopped (\(status)): \(process.errorOutput)")
    }
    let result = try await body(process)
    process.signal(SIGTERM)
    _ = try await process.waitForExit(within: .seconds(20))
    return result
  }

  /// Runs a command of `sallyportd` and returns its output.
  @discardableResult
  private func sallyportd(_ arguments: [String], input: String = "", folder: String) async throws -> String {
    let process = try ChildProcess(try self.command(arguments, input: input), folder: folder)
    let status = try await process.waitForExit()
    guard status == .exited(0) else {
      throw DemoError("'sallyportd \(arguments.prefix(2).joined(separator: " "))' failed (\(status)): \(process.errorOutput)")
    }
    return process.output
  }

  private func command(_ arguments: [String], input: String = "") throws -> ChildCommand {
    let own = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    let program = own.deletingLastPathComponent().appending(path: "sallyportd").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw DemoError("There is no program \"\(program)\". Build it with 'swift build --product sallyportd'.")
    }
    // Settings in the environment of the demo are meant for other servers, so they are removed.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SALLYPORTD_") }
    environment["SALLYPORTD_LOG_FORMAT"] = "json"
    return ChildCommand(
      program, arguments + ["--data", self.dataDirectory], environment: environment, input: Array(input.utf8))
  }

  /// The first column of a list.
  private static func names(in list: String) -> [String] {
    list.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
  }
}

/// The demo user. Each run sets a new password.
struct DemoUser: Sendable {
  static let username = "demo"
  let password: Secret<String>
}

/// Thrown when the demo fails.
struct DemoError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
