import BrowserDriver
import Foundation

/// An authorization server for one test, with a data folder and an issuer.
struct ServerHome: Sendable {
  /// A user who can sign in.
  struct Account: Sendable {
    var name = "ada"
    var password = "correct horse battery staple"
  }

  let folder: String
  var issuer: String
  /// The address on which the server listens.
  let host: String
  var port: UInt16
  let account = Account()
  /// The URL of a PostgreSQL database, or `nil` for SQLite in the data folder.
  var database: String?

  var data: String { "\(self.folder)/data" }

  /// The options that name the data folder and the database.
  private var dataOptions: [String] { ["--data", self.data] + (self.database.map { ["--database", $0] } ?? []) }

  /// Runs an operator's command on the server's data. Throws if its exit code is not 0.
  @discardableResult
  func runCommand(_ arguments: [String], input: String = "") async throws -> CommandResult {
    let command = ChildCommand(
      BuildFolder.command("sallyportd"), arguments + self.dataOptions, input: Array(input.utf8))
    let finished = try await run(command, folder: self.folder)
    guard finished.status == .exited(0) else { throw UnexpectedResult("sallyportd \(arguments): \(finished)") }
    return finished
  }

  func addAccount() async throws {
    try await self.runCommand(["user", "add", self.account.name], input: self.account.password + "\n")
  }

  func addClient(_ client: TestClient) async throws {
    let arguments = ["--client-id", client.id, "--name", client.name, "--type", "native", "--scope", TestClient.scope]
    try await self.runCommand(
      ["client", "add"] + arguments + client.redirectURIs.flatMap { ["--redirect-uri", $0] })
  }

  /// Starts the server, and returns when it accepts connections.
  func serve(_ arguments: [String] = []) async throws -> ChildProcess {
    let server = try ChildProcess(
      ChildCommand(
        BuildFolder.command("sallyportd"),
        ["serve", "--issuer", self.issuer, "--host", self.host, "--port", "\(self.port)"] + self.dataOptions + arguments),
      folder: self.folder)
    try await eventually("the server to accept connections") {
      // The server logs its issuer when it accepts connections.
      if server.errorOutput.contains(self.issuer) { return () }
      if let status = server.exitStatus {
        throw UnexpectedResult("sallyportd serve ended with \(status): \(server.errorOutput)")
      }
      return nil
    }
    return server
  }
}

/// A native app that the operator has registered.
struct TestClient: Sendable {
  static let scope = "openid profile email offline_access"

  var id: String
  var name: String
  var redirectURIs: [String]

  static let notes = TestClient(id: "notes", name: "Notes", redirectURIs: ["http://127.0.0.1/oauth2redirect/localhost"])
  static let tasks = TestClient(id: "tasks", name: "Tasks", redirectURIs: ["http://127.0.0.1/oauth2redirect/localhost"])
  static let claimedHTTPS = TestClient(
    id: "claimed", name: "Claimed", redirectURIs: ["https://app.example/oauth2redirect/localhost"])
  static let scheme = TestClient(
    id: "scheme", name: "Scheme", redirectURIs: ["com.example.app:/oauth2redirect/localhost"])
}

/// Runs a server with one user and these apps while `body` runs.
/// - Parameters:
///   - host: The address on which the server listens.
///   - issuerHost: The host in the issuer. Two servers that one browser visits need different hosts, because browsers
///     share the cookies of a host among all ports.
///   - arguments: More arguments of `sallyportd serve`.
func withServer<R>(
  clients: [TestClient], host: String = "127.0.0.1", issuerHost: String = "localhost", arguments: [String] = [],
  isolation: isolated (any Actor)? = #isolation, _ body: (ServerHome) async throws -> R
) async throws -> R {
  try await withTemporaryFolder { folder in
    let port = try freePort()
    let home = ServerHome(folder: folder, issuer: "http://\(issuerHost):\(port)", host: host, port: port)
    try await home.addAccount()
    for client in clients { try await home.addClient(client) }
    let server = try await home.serve(arguments)
    defer { server.end() }
    do {
      return try await body(home)
    } catch {
      throw UnexpectedResult("\(error)\n-- the output of the server:\n\(server.errorOutput.suffix(4_000))")
    }
  }
}
