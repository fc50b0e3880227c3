import PostgresTestSupport
import SallyportPostgres
import Synchronization

/// A new database, on the PostgreSQL server that the tests share, or on a server that the test provides.
final class TestDatabase: Sendable {
  let name: String
  let cluster: PostgresCluster
  private let stores = Mutex<[PostgresStore]>([])

  init(_ cluster: PostgresCluster? = nil) throws {
    self.cluster = try cluster ?? .shared()
    self.name = "test_\(UInt64.random(in: 0 ... .max))"
    try self.cluster.makeDatabase(self.name)
  }

  var url: String { self.cluster.url(self.name) }

  /// Opens a store with connections of its own, as another `sallyportd` would.
  /// - Parameter network: The network between the store and PostgreSQL; nil for a direct connection.
  func open(_ limits: PostgresStore.Limits = .patient, over network: SlowNetwork? = nil) throws -> PostgresStore {
    let store = PostgresStore(try PostgresAddress(network?.url(self.name) ?? self.url), limits: limits)
    self.stores.withLock { $0.append(store) }
    return store
  }

  /// Runs SQL as the superuser.
  @discardableResult
  func query(_ sql: String) throws -> String {
    try self.cluster.query(sql, in: self.name)
  }

  /// Closes all stores.
  func close() {
    for store in self.stores.withLock({ $0 }) { store.close() }
  }
}

extension PostgresStore.Limits {
  /// Long time limits, for tests that are not about time limits. Many tests run at once, so the machine may be slow.
  static var patient: Self {
    var limits = Self()
    limits.connections = 4
    limits.requestTimeout = .seconds(60)
    limits.connectTimeout = .seconds(60)
    limits.maintenanceTimeout = .seconds(60)
    return limits
  }
}
