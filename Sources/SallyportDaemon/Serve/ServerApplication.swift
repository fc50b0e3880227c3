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
struct ServerApplication: Sendable {
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

  /// Sees each request with its answer.
  typealias Observer = @Sendable (Request, Response) -> Void

  /// Runs until a signal or the task's cancellation.
  /// - Parameter ready: called with the port once connections are accepted.
  func run(
    signals: [UnixSignal] = [.sigterm, .sigint], observer: @escaping Observer = { _, _ in },
    ready: @escaping @Sendable (_ port: Int) async -> Void
  ) async throws {
    let configured = self.port
    let application = Application(
      responder: ObservedResponder(base: self.router.buildResponder(), observer: observer),
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

  /// Runs the server while `body` runs, once it accepts connections.
  func serving<R: Sendable>(
    observedBy observer: @escaping Observer, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    let (ready, continuation) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup(of: R?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await self.run(signals: [], observer: observer) { continuation.yield($0) }
        return nil
      }
      group.addTask {
        guard await ready.first(where: { _ in true }) != nil else { throw CancellationError() }
        return try await body()
      }
      guard let first = try await group.next(), let result = first else { throw Failure("the server stopped") }
      return result
    }
  }
}

/// Lets somebody see each request with its answer.
struct ObservedResponder<Base: HTTPResponder>: HTTPResponder {
  let base: Base
  let observer: ServerApplication.Observer

  func respond(to request: Request, context: Base.Context) async throws -> Response {
    let response = try await self.base.respond(to: request, context: context)
    self.observer(request, response)
    return response
  }
}
