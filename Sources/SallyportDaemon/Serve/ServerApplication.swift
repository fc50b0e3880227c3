import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import SallyportArgon2
import SallyportAsyncHTTPClient
import SallyportHTTP
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServiceLifecycle
import UnixSignals

/// The server with everything that runs beside it, in one group that starts and stops together.
struct ServerApplication: Sendable {
  let directory: DataDirectory
  let server: AuthorizationServer
  private let settings: ServerSettings
  private let certificate: ServerCertificate?
  private let logLevel: LogLevel
  let logger: Logger
  private let monitor: Monitor

  /// Opens the keys, and makes them at the first start.
  init(directory: DataDirectory, settings: ServerSettings) async throws {
    self.logLevel = LogLevel(settings.logLevel)
    let logger = self.logLevel.logger(label: "sallyportd", writingTo: settings.logFormat.handler(label: "sallyportd"))
    self.logger = logger
    self.directory = directory
    self.settings = settings
    self.certificate = try settings.tls.map { (files) throws(Failure) in try ServerCertificate(files) }
    let hasher = Argon2PasswordHasher(threads: settings.hashingThreads, waiting: settings.hashingWaiting)
    self.monitor = Monitor(
      settings: settings.monitoring, store: directory.store, database: "\(settings.data)/\(DataFiles.database)", hasher: hasher,
      logger: logger)
    let metrics = self.monitor.metrics
    self.server = AuthorizationServer(
      configuration: settings.server, store: self.monitor.measured(directory.store), masterKey: directory.masterKey,
      hasher: MeasuredHasher(hasher, metrics: metrics), transport: TracedTransport(PublicAddressTransport()),
      operatorTransport: TracedTransport(AsyncHTTPClientTransport()))
    try await KeyManagement(store: directory.store, masterKey: directory.masterKey).ensureKeys()
  }

  /// Sees each request with its answer.
  typealias Observer = @Sendable (Request, Response) -> Void

  /// Runs until SIGTERM or SIGINT, and ends after the requests that have begun.
  /// - Parameters:
  ///   - started: where the settings came from.
  ///   - reading: reads those places again at SIGHUP.
  ///   - ready: called with the port once connections are accepted, and metrics can be asked for.
  func run(
    started: [SettingSource], reading: @escaping @Sendable () -> [SettingSource],
    ready: @escaping @Sendable (_ port: Int) async -> Void
  ) async throws {
    let reloading = Reloading(
      read: reading, started: started.values, certificate: self.certificate, level: self.logLevel, logger: self.logger)
    let reload = ReloadService(signals: await UnixSignalsSequence(trapping: .sighup), reloading: reloading)
    try await Self.explaining {
      try await self.group(signals: [.sigterm, .sigint], beside: [NamedService("reload", reload)]) { listening in
        await ready(listening.localAddress?.port ?? self.settings.port)
      }.run()
    }
  }

  /// Runs the server while `body` runs, once it accepts connections.
  /// - Parameter body: is given what listens.
  func serving<R: Sendable>(
    observedBy observer: @escaping Observer, _ body: @escaping @Sendable (_ listening: any Channel) async throws -> R
  ) async throws -> R {
    let (ready, continuation) = AsyncStream.makeStream(of: (any Channel).self)
    let group = try self.group(signals: [], observer: observer) { continuation.yield($0) }
    async let server: Void = Self.explaining {
      defer { continuation.finish() }
      try await group.run()
    }
    do {
      guard let listening = await ready.first(where: { _ in true }) else {
        try await server
        throw Failure("the server stopped")
      }
      let result = try await body(listening)
      await group.triggerGracefulShutdown()
      try await server
      return result
    } catch {
      await group.triggerGracefulShutdown()
      _ = try? await server
      throw error
    }
  }

  private func group(
    signals: [UnixSignal], beside others: [NamedService] = [], observer: @escaping Observer = { _, _ in },
    ready: @escaping @Sendable (_ listening: any Channel) async -> Void
  ) throws -> ServiceGroup {
    var listening = ApplicationConfiguration(address: .hostname(self.settings.host, port: self.settings.port), serverName: nil)
    listening.availableConnectionsDelegate = self.monitor.connections(limit: self.settings.connections.accepted)
    let proxies = TrustedProxies(self.settings.proxies)
    let router = AuthorizationServerRouter(
      server: self.server, proxies: proxies, metrics: self.monitor.metrics,
      failuresPerSecond: self.settings.failuresPerSecond
    ).build()
    let application = Application(
      responder: ObservedResponder(
        base: router.buildResponder(), observer: observer, readiness: self.monitor.readiness),
      server: .onEventLoops(limits: self.settings.connections, proxies: proxies, tls: self.certificate?.configuration),
      configuration: listening,
      onServerRunning: { channel in
        do { try await channel.acceptInCrowds() } catch {
          self.logger.warning("connections are accepted a few at a time", metadata: ["error": "\(error)"])
        }
        guard await self.monitor.isListening(), !self.monitor.readiness.isStopping else { return }
        self.monitor.readiness.started()
        await ready(channel)
      },
      logger: self.logger)
    let cleaning = ExpiryService(
      store: self.directory.store, auditKeep: self.settings.auditKeep, logger: self.logger, clock: .continuous)
    let auditing = AuditService(server: self.server, logger: self.logger)
    let telling = LogoutService(deliveries: self.server.logoutDeliveries, metrics: self.monitor.metrics, logger: self.logger)
    let serving = ListeningService(base: application, host: self.settings.host, port: self.settings.port)
    let services = [
      NamedService("audit", auditing), NamedService("server", serving), NamedService("expiry", cleaning),
      NamedService("logout", telling), NamedService("schemes", SchemeService(store: self.directory.store, logger: self.logger)),
    ]
    return self.monitor.group(of: services + others, signals: signals)
  }

  private static func explaining(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as CancellationError { throw error } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure("the server stopped: \(error)")
    }
  }
}
