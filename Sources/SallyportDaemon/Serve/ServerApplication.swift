import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import SallyportArgon2
import SallyportAsyncHTTPClient
import SallyportHTTP
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer
import ServiceLifecycle
import UnixSignals

/// The server and its background services, which start and stop together.
struct ServerApplication: Sendable {
  let directory: DataDirectory
  let server: AuthorizationServer
  private let settings: ServerSettings
  private let certificate: ServerCertificate?
  private let logLevel: LogLevel
  let logger: Logger
  private let monitor: Monitor
  private let connections: Connections
  private let preparation: StorePreparation
  var readiness: Readiness { self.monitor.readiness }

  /// Creates the server. On the first start, this also creates the signing keys. If a PostgreSQL database is not
  /// available, the keys are created later.
  init(directory: DataDirectory, settings: ServerSettings) async throws {
    self.logLevel = LogLevel(settings.logLevel)
    let logger = self.logLevel.logger(label: "sallyportd", writingTo: settings.logFormat.handler(label: "sallyportd"))
    self.logger = logger
    self.directory = directory
    self.settings = settings
    self.certificate = try settings.tls.map { (files) throws(Failure) in try ServerCertificate(files) }
    let hasher = Argon2PasswordHasher(threads: settings.hashingThreads, waiting: settings.hashingWaiting)
    self.connections = Connections(limits: settings.connections, proxies: TrustedProxies(settings.proxies))
    self.monitor = Monitor(
      settings: settings.monitoring, shutdown: settings.shutdown, database: directory.database,
      file: "\(settings.data)/\(DataFiles.database)", hasher: hasher, connections: self.connections, logger: logger)
    let metrics = self.monitor.metrics
    // `transport` sends requests to URLs that clients specify, and the settings can allow anyone to register a client.
    // This transport must therefore not reach the server's own network. `operatorTransport` sends requests to upstreams
    // and to the clients of the operator.
    self.server = AuthorizationServer(
      configuration: settings.server, store: self.monitor.measured(directory.store), masterKey: directory.masterKey,
      hasher: MeasuredHasher(hasher, metrics: metrics), transport: TracedTransport(PublicAddressTransport()),
      operatorTransport: TracedTransport(AsyncHTTPClientTransport(proxies: .none)))
    // A SQLite database is in the same directory, so a copy would be no more available than the database itself.
    if case .postgres = directory.database {
      let file = PublishedKeyFile(path: "\(settings.data)/\(DataFiles.publishedKeys)", logger: logger)
      self.server.cache.keepPublishedKeys(in: file)
    }
    self.preparation = StorePreparation(
      directory: directory, server: self.server, readiness: self.monitor.readiness, logger: logger)
    try await self.preparation.prepareOrPostpone()
  }

  /// Runs until SIGTERM or SIGINT, and returns after the requests in progress have finished or were canceled.
  /// - Parameters:
  ///   - sources: The sources of the current settings.
  ///   - reading: Reads the sources again after SIGHUP.
  ///   - ready: Called with the port when the server and the monitoring listener accept connections.
  func run(
    sources: [SettingSource], reading: @escaping @Sendable () -> [SettingSource],
    ready: @escaping @Sendable (_ port: Int) async -> Void
  ) async throws {
    let reloader = SettingsReloader(
      read: reading, startupSettings: sources.values, certificate: self.certificate, level: self.logLevel, logger: self.logger)
    let reload = ReloadService(signals: await UnixSignalsSequence(trapping: .sighup), reloader: reloader)
    try await Self.explainingErrors {
      try await self.group(signals: [.sigterm, .sigint], alongside: [NamedService("reload", reload)]) { listening in
        await ready(listening.localAddress?.port ?? self.settings.port)
      }.run()
    }
  }

  /// All services of the server.
  /// - Parameters:
  ///   - signals: The signals that start a graceful shutdown.
  ///   - others: Additional services to run.
  ///   - ready: Called with the server's listening channel when the server and the monitoring listener accept
  ///     connections. Not called if the server is already stopping.
  func group(
    signals: [UnixSignal], alongside others: [NamedService] = [],
    ready: @escaping @Sendable (_ listening: any Channel) async -> Void
  ) throws -> ServiceGroup {
    var listening = ApplicationConfiguration(address: .hostname(self.settings.host, port: self.settings.port), serverName: nil)
    if let warning = OpenFileLimit.raise(for: self.settings.connections.accepted) { self.logger.warning("\(warning)") }
    listening.availableConnectionsDelegate = .maximum(self.settings.connections.accepted, logger: self.logger)
    let router = AuthorizationServerRouter(
      server: self.server, proxies: TrustedProxies(self.settings.proxies), metrics: self.monitor.metrics,
      failuresPerSecond: self.settings.failuresPerSecond, branding: self.settings.branding
    ).build()
    let application = Application(
      responder: CanceledRequestLog(base: router.buildResponder(), readiness: self.monitor.readiness),
      server: .onEventLoops(self.connections, tls: self.certificate?.configuration),
      configuration: listening,
      onServerRunning: { channel in
        do { try await channel.acceptManyConnectionsPerTick() } catch {
          self.logger.warning(
            "cannot raise the number of connections that are accepted at a time", metadata: ["error": "\(error)"])
        }
        guard await self.monitor.isListening(), !self.monitor.readiness.isStopping else { return }
        self.monitor.readiness.markStarted()
        await ready(channel)
      },
      logger: self.logger)
    let expiry = ExpiryService(
      store: self.directory.store, auditRetention: self.settings.server.auditRetention, logger: self.logger, clock: .continuous)
    let audit = AuditService(server: self.server, logger: self.logger)
    let logoutDelivery = LogoutDeliveryService(
      deliveries: self.server.logoutDeliveries, metrics: self.monitor.metrics, logger: self.logger)
    let mailDelivery = MailDeliveryService(
      deliveries: self.server.mailDeliveries, transport: SendmailTransport(command: self.settings.mailCommand),
      metrics: self.monitor.metrics, logger: self.logger)
    let httpServer = ListeningService(base: application, host: self.settings.host, port: self.settings.port)
    let services = [
      NamedService("audit", audit), NamedService("server", httpServer), NamedService("expiry", expiry),
      NamedService("logout", logoutDelivery), NamedService("mail", mailDelivery), NamedService("store", self.preparation),
      NamedService("schemes", SharedSchemeService(store: self.directory.store, logger: self.logger)),
    ]
    return self.monitor.group(of: services + others, signals: signals)
  }

  private static func explainingErrors(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as CancellationError { throw error } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure("the server stopped because of an error: \(error)")
    }
  }
}
