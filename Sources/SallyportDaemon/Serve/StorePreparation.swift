import Logging
import SallyportPostgres
import SallyportProtocol
import SallyportServer
import ServiceLifecycle

/// Prepares the store for the first request: connects to the database, checks that the key file matches it, and creates
/// the signing keys if there are none.
///
/// The server starts even if a PostgreSQL database is not available. It then responds with 503, is not ready, and tries
/// again until the database is available. If this version of the server cannot use the database at the start, the start
/// fails. A server that is already waiting for the database does not stop for this reason, but keeps trying: in an
/// upgrade, a newer server may change the schema before the waiting server is replaced.
struct StorePreparation: Service {
  /// The time between two attempts.
  private static var pause: Duration { .milliseconds(500) }

  let directory: DataDirectory
  let server: AuthorizationServer
  let readiness: Readiness
  let logger: Logger

  /// Prepares the store. If a PostgreSQL database is not available, leaves the preparation to ``run()``.
  /// - Throws: A failure that another attempt would not solve, or any failure of a SQLite database.
  func prepareOrPostpone() async throws {
    do {
      try await self.prepare()
    } catch {
      guard case .postgres = self.directory.database else { throw error }
      if let failure = error as? Failure, failure.isPermanent { throw failure }
      self.readiness.isWaitingForStore = true
      self.logger.error("the database is not available; the server tries again", metadata: ["error": "\(Self.reason(error))"])
    }
  }

  private static func reason(_ error: any Error) -> String {
    (error as? Failure)?.message ?? (error as? StoreError)?.reason ?? "\(error)"
  }

  /// Repeats the preparation until it succeeds.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      var logged: Failure?
      while self.readiness.isWaitingForStore, (try? await Task.sleep(for: Self.pause)) != nil {
        do {
          try await self.prepare()
          self.readiness.isWaitingForStore = false
          self.logger.notice("the database is available")
        } catch let failure as Failure where failure.isPermanent && failure != logged {
          logged = failure
          self.logger.error("the server cannot use the database", metadata: ["error": "\(failure.message)"])
        } catch {
          self.logger.debug("the database is still not available", metadata: ["error": "\(Self.reason(error))"])
        }
      }
    }
    // Waits, because all services stop when one of them ends.
    try? await gracefulShutdown()
  }

  private func prepare() async throws {
    try await self.directory.connect()
    let keys = KeyManagement(store: self.directory.store, masterKey: self.directory.masterKey)
    try await self.directory.checkKeyFile()
    try await keys.ensureKeys()
    // Reads the keys, so that the server can publish them even if the database becomes unavailable before the first
    // request.
    _ = try await self.server.cache.keyRing()
    if case .postgres(let store) = self.directory.database { await self.compareClocks(with: store) }
  }

  /// Logs an error if the clocks of this machine and of the database differ. The server starts nevertheless, because
  /// the database's clock may be wrong, and then no server could start.
  private func compareClocks(with store: PostgresStore) async {
    guard let offset = try? await store.clockOffset(), max(offset, .zero - offset) > ClockCheckup.toleratedOffset else { return }
    self.logger.error(
      "the clocks of this machine and of the database differ; synchronize both, because codes and tokens may be rejected or live too long",
      metadata: ["difference": "\(offset)"])
  }
}
