import ArgumentParser
import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import SallyportArgon2
import SallyportHTTPServer
import SallyportObservability
import SallyportMetrics
import SallyportPostgres
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServiceLifecycle
import UnixSignals

/// The server's metrics and readiness, and the listener that publishes them. See
/// docs/decisions/0045-metrics-listener.md.
struct Monitor: Sendable {
  let settings: MonitoringSettings
  private let shutdown: ShutdownSettings
  let metrics: ServerMetrics
  let readiness: Readiness
  private let connections: Connections
  private let prometheus: PrometheusMetrics?
  private let logger: Logger
  /// Finishes when the listener accepts connections.
  private let listening = AsyncStream.makeStream(of: Never.self)

  /// - Parameters:
  ///   - file: The path of the database file, if the database is a file.
  ///   - connections: The connections of the server's main listener.
  init(
    settings: MonitoringSettings, shutdown: ShutdownSettings, database: DataDirectory.Database, file: String,
    hasher: Argon2PasswordHasher, connections: Connections, logger: Logger
  ) {
    self.settings = settings
    self.shutdown = shutdown
    self.connections = connections
    self.logger = logger
    switch database {
    case .sqlite(let store):
      self.readiness = Readiness(store: store, checkStorage: Readiness.fileCheck(path: file), logger: logger)
    case .postgres(let store):
      self.readiness = Readiness(
        store: store, checkStorage: { () async throws(StoreError) in try await store.checkDiskSpace() }, logger: logger)
    }
    guard settings.port != nil else {
      self.prometheus = nil
      self.metrics = ServerMetrics(factory: NOOPMetricsHandler.instance)
      return
    }
    let prometheus = Self.prometheus(database: database, hasher: hasher, connections: connections)
    let metrics = ServerMetrics(factory: prometheus)
    if case .sqlite(let store) = database {
      store.observeCommits { commit in
        if commit.isCommitted {
          metrics.commitEnded(writes: commit.writes, after: commit.duration)
        } else {
          metrics.storeFailed(.commit)
        }
      }
    }
    self.prometheus = prometheus
    self.metrics = metrics
  }

  /// Wraps the store so that its operations are measured, unless metrics are off.
  func measured(_ store: any Store) -> any Store {
    self.prometheus == nil ? store : MeasuredStore(store, metrics: self.metrics)
  }

  /// Creates the metrics that Prometheus reads. Some of them are measured only when they are read.
  static func prometheus(
    database: DataDirectory.Database, hasher: Argon2PasswordHasher, connections: Connections
  ) -> PrometheusMetrics {
    let prometheus = PrometheusMetrics(describing: ServerMetrics.descriptions)
    ProcessMeasures.observe(on: prometheus, started: Double(Timestamp.now().milliseconds) / 1000)
    let version = Sallyportd.configuration.version
    prometheus.observe(
      .init("sallyport_build_info", .gauge, help: "Always 1. The label is the running version."), labels: [("version", version)]
    ) { 1 }
    prometheus.observe(
      .init("sallyport_store_writes_waiting", .gauge, help: "The number of writes that wait for the next transaction.")
    ) {
      switch database {
      case .sqlite(let store): Double(store.waitingWrites)
      case .postgres(let store): Double(store.waitingRequests)
      }
    }
    prometheus.observe(
      .init("sallyport_passwords_waiting", .gauge, help: "The number of passwords that wait for a hashing thread.")
    ) { Double(hasher.waiting) }
    prometheus.observe(.init("sallyport_http_connections", .gauge, help: "Open connections.")) { Double(connections.count) }
    return prometheus
  }

  /// Returns a group with ``ShutdownTimeoutService``, the monitoring listener, `services`, and
  /// ``ShutdownDelayService``, in this order. Services stop in reverse order, so `/readyz` responds until all
  /// `services` have stopped.
  func group(of services: [NamedService], signals: [UnixSignal]) -> ServiceGroup {
    let stop = ShutdownDelayService(
      readiness: self.readiness, delay: self.shutdown.delay, timeout: self.shutdown.timeout)
    let watch = ShutdownTimeoutService(
      readiness: self.readiness, connections: self.connections, timeout: self.shutdown.timeout, logger: self.logger)
    let listener = self.listener.map { [NamedService("monitoring", $0)] } ?? []
    let all = [NamedService("watch", watch)] + listener + services + [NamedService("stop", stop)]
    var configuration = ServiceGroupConfiguration(
      services: all.map(\.configuration), gracefulShutdownSignals: signals, logger: self.logger)
    configuration.maximumGracefulShutdownDuration = self.shutdown.delay + self.shutdown.timeout
    return ServiceGroup(configuration: configuration)
  }

  /// Waits until the monitoring listener, if there is one, accepts connections.
  /// - Returns: False if the task was canceled first, because the server is stopping.
  func isListening() async -> Bool {
    guard self.settings.port != nil else { return true }
    for await _ in self.listening.stream {}
    return !Task.isCancelled
  }

  /// The monitoring listener; nil if metrics are off. Its connection limit is low, because only a few machines connect,
  /// and only a few times per minute.
  private var listener: (any Service)? {
    guard let prometheus, let port = self.settings.port else { return nil }
    let router = MonitoringRoutes(metrics: prometheus, readiness: self.readiness).router()
    var configuration = ApplicationConfiguration(address: .hostname(self.settings.host, port: port), serverName: nil)
    var limits = ConnectionLimits()
    (limits.maximum, limits.perAddress) = (64, 64)
    configuration.availableConnectionsDelegate = .maximum(limits.accepted, logger: self.logger)
    let application = Application(
      router: router, server: .onEventLoops(limits: limits), configuration: configuration,
      onServerRunning: { _ in self.listening.continuation.finish() }, logger: self.logger)
    return ListeningService(base: application, host: self.settings.host, port: port)
  }
}
