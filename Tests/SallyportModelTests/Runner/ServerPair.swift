import Foundation
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport

/// The test environment of a ``HistoryRun``: two servers with separate stores on one database, and an operator who
/// changes the same database.
final class ServerPair: Sendable {
  /// The operator's process. Its clock is also the clock of the two servers.
  let operatorProcess: TestServer
  private let servers: Mutex<[AuthorizationServer]>
  /// For each server on SQLite, the largest number of writes that shared a commit. Commits after a restart of the
  /// server are not counted.
  let largestCommits = Mutex([0, 0])

  /// A client that may introspect every access token.
  static let api = "api"

  init(_ kind: TestDatabase.Kind) async throws {
    self.operatorProcess = try await TestServer(issuer: Wire.issuer, database: kind, in: Self.folder) { configuration in
      configuration.lifetimes = Self.lifetimes
    }
    self.servers = Mutex([try self.operatorProcess.otherProcess(), try self.operatorProcess.otherProcess()])
    for index in 0...1 {
      (self.server(index).store as? SQLiteStore)?.observeCommits { [weak self] commit in
        self?.largestCommits.withLock { $0[index] = max($0[index], commit.writes) }
      }
    }
    var api = try TestClient.web.record
    api.id = ClientID(rawValue: Self.api)
    api.details.audiences = [Wire.issuer] + Wire.resources
    let record = api
    try await self.operatorProcess.store.write { (tx) throws(StoreError) in try tx.insert(record) }
  }

  deinit {
    for server in self.servers.withLock({ $0 }) { try? Self.close(server) }
  }

  /// A folder in memory if the system has one. It is faster than a disk, and these tests do not depend on a disk.
  private static var folder: URL {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    return FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
  }

  private static var lifetimes: Lifetimes {
    var lifetimes = Lifetimes()
    lifetimes.authorizationCode = .seconds(Model.Lifetimes.code)
    lifetimes.accessToken = .seconds(Model.Lifetimes.accessToken)
    lifetimes.refreshTokenIdle = .seconds(Model.Lifetimes.refreshTokenIdle)
    lifetimes.grant = .seconds(Model.Lifetimes.grant)
    lifetimes.reuseInterval = .seconds(Model.Lifetimes.reuseInterval)
    lifetimes.interaction = .seconds(Model.Lifetimes.interaction)
    lifetimes.browserSessionIdle = .seconds(Model.Lifetimes.sessionIdle)
    lifetimes.browserSession = .seconds(Model.Lifetimes.session)
    return lifetimes
  }

  /// Returns the first server for an even index, and the second server for an odd index.
  func server(_ index: Int) -> AuthorizationServer {
    self.servers.withLock { $0[index % $0.count] }
  }

  /// Restarts the server that ``server(_:)`` returns for this index.
  func restart(_ index: Int) throws {
    let new = try self.operatorProcess.otherProcess()
    let old = self.servers.withLock { servers in
      defer { servers[index % servers.count] = new }
      return servers[index % servers.count]
    }
    try Self.close(old)
  }

  private static func close(_ server: AuthorizationServer) throws {
    try TestDatabase.close(server.store)
  }

  /// Restores the clients that an earlier history removed.
  func prepare() async throws {
    let clients = try Step.Client.allCases.map { try $0.registered.record }
    try await self.operatorProcess.store.write { (tx) throws(StoreError) in
      for client in clients where try tx.client(client.id) == nil { try tx.insert(client) }
    }
    try await self.propagate()
  }

  /// Waits until both servers know of a change to a client or key.
  ///
  /// A server that reads the version of the configuration from its store does so again when the clock has advanced. If
  /// the store is notified of changes instead (``Store/watchedConfigurationVersion``), the notification takes real
  /// time.
  private func propagate() async throws {
    self.operatorProcess.clock.advance(by: .seconds(Model.Lifetimes.propagation))
    let version = try await self.operatorProcess.store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
    for index in 0...1 {
      let store = self.server(index).store
      let deadline = ContinuousClock.now + .seconds(10)
      while let known = store.watchedConfigurationVersion, known != version {
        guard ContinuousClock.now < deadline else { throw NotNoticed(server: index) }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  /// The error for a server that did not notice a change to the configuration in time.
  private struct NotNoticed: Error {
    let server: Int
  }

  /// Removes expired data in many small transactions, so that related rows are removed in different transactions.
  func sweep() async throws {
    let limit = 3
    while try await self.operatorProcess.store.removeExpired(before: self.operatorProcess.clock.now, limit: limit) == limit {}
  }

  func rotateKeys(immediately: Bool) async throws {
    let keys = KeyManagement(
      store: self.operatorProcess.store, masterKey: self.operatorProcess.masterKey,
      lifetimes: self.operatorProcess.server.configuration.lifetimes, now: self.operatorProcess.clock.source)
    _ = try await keys.rotate(immediately: immediately)
    try await self.propagate()
  }

  func remove(_ client: Step.Client) async throws {
    let id = client.registered.id
    _ = try await self.operatorProcess.store.write { (tx) throws(StoreError) in try tx.remove(id, from: .command, at: .now()) }
    try await self.propagate()
  }
}
