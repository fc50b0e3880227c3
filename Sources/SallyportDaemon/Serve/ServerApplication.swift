import Hummingbird
import Logging
import SallyportArgon2
import SallyportHTTP
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServiceLifecycle
import UnixSignals

/// The server with everything that runs beside it, in one group that starts and stops together.
struct ServerApplication {
  let directory: DataDirectory
  let server: AuthorizationServer<SQLiteStore>
  let router: Router<BasicRequestContext>
  private let host: String
  private let port: Int
  private let logger: Logger

  /// Opens the keys, and makes them at the first start.
  init(
    directory: DataDirectory, issuer: Issuer, name: String?, host: String, port: Int, logLevel: Logger.Level
  ) async throws {
    var logger = Logger(label: "sallyportd", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = logLevel
    self.logger = logger
    self.directory = directory
    self.host = host
    self.port = port
    self.server = AuthorizationServer(
      configuration: ServerConfiguration(issuer: issuer, name: name), store: directory.store,
      masterKey: directory.masterKey, hasher: Argon2PasswordHasher())
    self.router = try AuthorizationServerRouter(server: self.server).build()
    try await KeyManagement(store: directory.store, masterKey: directory.masterKey).ensureKeys()
  }

  /// Runs until a signal or the task's cancellation.
  /// - Parameter ready: called with the port once connections are accepted.
  func run(
    signals: [UnixSignal] = [.sigterm, .sigint], ready: @escaping @Sendable (_ port: Int) async -> Void
  ) async throws {
    let configured = self.port
    let application = Application(
      router: self.router,
      configuration: ApplicationConfiguration(address: .hostname(self.host, port: self.port), serverName: nil),
      onServerRunning: { channel in await ready(channel.localAddress?.port ?? configured) },
      logger: self.logger)
    let cleaning = ExpiryService(store: self.directory.store, logger: self.logger)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: application), .init(service: cleaning)], gracefulShutdownSignals: signals,
        logger: self.logger))
    do { try await group.run() } catch let error as CancellationError { throw error } catch {
      throw Failure("the server stopped: \(error)")
    }
  }
}
