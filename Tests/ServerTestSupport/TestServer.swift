package import Foundation
import SallyportProtocol
package import SallyportRemote
package import SallyportServer
package import TestSupport

/// An authorization server with a new database, one client of each kind, the users `ada` and `bob`, and a clock that
/// only tests advance. The directory of a SQLite database is removed when this object is deallocated.
package final class TestServer: Sendable {
  /// The password of `ada` and `bob`. It meets ``PasswordPolicy``.
  package static let password = "correct horse battery staple"
  /// A different password that meets the policy.
  package static let otherPassword = "another horse without a battery"

  package let clock = TestClock()
  package let database: TestDatabase
  package let store: any Store
  package let masterKey: MasterKey
  package let server: AuthorizationServer
  private let directory: URL

  /// - Parameters:
  ///   - issuer: The issuer URL. With `https`, cookies and headers are the same as on a real server.
  ///   - hasher: Hashes and checks passwords.
  ///   - transport: Sends requests to the URLs of clients that no operator registered, and fetches the request objects
  ///     of all clients; nil to send none of these requests.
  ///   - operatorTransport: Sends the server's other requests, for example to upstreams and to clients that an
  ///     operator registered; nil to use `transport`.
  ///   - kind: The kind of database.
  ///   - folder: The folder in which the directory of a SQLite database is created; nil for the system's temporary
  ///     directory.
  ///   - configure: Changes the configuration.
  package init(
    issuer: String = "https://id.example", hasher: TestPasswordHasher = TestPasswordHasher(), transport: (any Transport)? = nil,
    operatorTransport: (any Transport)? = nil,
    database kind: TestDatabase.Kind = .standard, in folder: URL? = nil,
    configure: @Sendable (inout SallyportServer.ServerConfiguration) -> Void = { _ in }
  ) async throws {
    self.directory = (folder ?? FileManager.default.temporaryDirectory).appending(path: "sallyport-\(UUID().uuidString)")
    self.database = try TestDatabase(kind, in: self.directory)
    self.store = try self.database.open()
    self.masterKey = try TestKeys.masterKey()
    var configuration = SallyportServer.ServerConfiguration(issuer: try Issuer(issuer), name: "Example Accounts")
    configuration.registration.mode = .open
    configure(&configuration)
    self.server = AuthorizationServer(
      configuration: configuration, store: self.store, masterKey: self.masterKey, hasher: hasher, transport: transport,
      operatorTransport: operatorTransport, now: self.clock.source)
    let (clients, keys) = (try TestClient.allCases.map { try $0.record }, try TestKeys.records(at: self.clock.now))
    try await self.store.write { (tx) throws(StoreError) in
      for key in keys { try tx.insert(key) }
      for client in clients { try tx.insert(client) }
    }
    for username in ["ada", "bob"] {
      _ = try await self.server.accounts.add(
        username: username, password: Secret(Self.password), name: username.capitalized, email: "\(username)@example.com")
    }
  }

  deinit {
    try? TestDatabase.close(self.store)
    try? FileManager.default.removeItem(at: self.directory)
  }

  /// Returns a server with its own caches on the same database, like another process.
  /// - Parameters:
  ///   - transport: As in `init`, but also used instead of an `operatorTransport`.
  ///   - clockOffset: How far the returned server's clock is ahead of ``clock``.
  ///   - configure: Changes the configuration.
  package func otherProcess(
    transport: (any Transport)? = nil, clockOffset: Duration = .zero,
    configure: (inout SallyportServer.ServerConfiguration) -> Void = { _ in }
  ) throws -> AuthorizationServer {
    var configuration = self.server.configuration
    configure(&configuration)
    return AuthorizationServer(
      configuration: configuration, store: try self.database.open(),
      masterKey: self.masterKey, hasher: TestPasswordHasher(), transport: transport,
      now: { [clock] in clock.now + clockOffset })
  }

  /// The numbers of rows in the tables for accounts, clients, browser sessions, consents, grants and their codes and
  /// refresh tokens, used interactions and identifiers, and counted attempts, by the names of the tables in SQLite.
  package func rows() throws -> [String: Int] {
    let tables = [
      "browser_session", "burned_interaction", "consent", "oauth_grant", "authorization_code", "refresh_token", "client",
      "account", "used_identifier", "attempt",
    ]
    return try tables.reduce(into: [:]) { counts, table in
      // Only in SQLite, the table of consumed interactions still has its old name.
      let name = self.database.kind == .postgres && table == "burned_interaction" ? "consumed_interaction" : table
      counts[table] = try self.database.query("SELECT count(*) FROM \(name)").first?.first.flatMap { Int($0) }
    }
  }

  /// The revocation reasons of all revoked grants.
  package func revocations() throws -> [String] {
    try self.database.query("SELECT revocation_reason FROM oauth_grant WHERE revoked_at IS NOT NULL").flatMap(\.self)
  }

  /// All rows of the database as one text, to check that it contains no secrets.
  package func contents() throws -> String {
    try self.database.tables().flatMap { try self.database.query("SELECT * FROM \($0)") }
      .map { $0.joined(separator: "|") }.joined(separator: "\n")
  }
}
