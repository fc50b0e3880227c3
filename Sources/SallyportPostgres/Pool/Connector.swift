import SallyportServer
import Synchronization

/// Opens connections for all threads of a store.
///
/// After a failure, new attempts fail at once for up to a second. An unavailable database therefore does not receive a
/// connection attempt for each request.
final class Connector: Sendable {
  private struct State {
    /// The index of the host that is tried first: the host that accepted the last connection, or that was promoted
    /// after that.
    var preferred = 0
    /// The number of failed attempts since the last successful one.
    var failures = 0
    var retryAt: ContinuousClock.Instant?
    var lastError: StoreError?
    /// The latest timeline of any host.
    var timeline: Timeline?
    /// Whether a thread is creating or migrating the schema.
    var isUpdatingSchema = false

    /// - Returns: False if another thread is already creating or migrating the schema.
    mutating func beginUpdatingSchema() -> Bool {
      defer { self.isUpdatingSchema = true }
      return !self.isUpdatingSchema
    }
  }

  private static var firstPause: Duration { .milliseconds(50) }
  private static var longestPause: Duration { .seconds(1) }

  private let address: PostgresAddress
  /// How long to wait for one host before the next host is tried.
  private let hostTimeout: Duration
  private let schema: Schema
  private let createsSchema: Bool
  private let state = Mutex(State())

  init(_ address: PostgresAddress, hostTimeout: Duration, schema: Schema, createsSchema: Bool) {
    self.schema = schema
    self.createsSchema = createsSchema
    self.address = address
    self.hostTimeout = hostTimeout
  }

  /// Opens a connection. If the schema does not exist or is not current, creates or migrates it, or throws an error if
  /// `createsSchema` is false.
  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  func connect(until deadline: ContinuousClock.Instant) throws(StoreError) -> PostgresConnection {
    let state = self.state.withLock { $0 }
    if let retryAt = state.retryAt, ContinuousClock.now < retryAt, let error = state.lastError { throw error }
    do throws(StoreError) {
      let (connection, schema) = try self.connectToAnyHost(preferred: state.preferred, until: deadline)
      try self.prepare(connection, schema, until: deadline)
      self.state.withLock { state in
        state.failures = 0
        state.retryAt = nil
      }
      return connection
    } catch {
      self.state.withLock { state in
        // The exponent is limited to avoid an overflow. A smaller exponent already leads to the longest pause.
        state.retryAt = .now + min(Self.firstPause * (1 << min(state.failures, 8)), Self.longestPause)
        state.failures += 1
        state.lastError = error
      }
      throw error
    }
  }

  /// How long it takes at most to find out that none of the hosts can be used. Connecting to a host and checking it may
  /// each take the timeout of a host.
  var timeLimit: Duration { self.hostTimeout * (2 * self.hostCount) }

  /// Why new attempts fail at the moment; nil if nothing is known to prevent a connection.
  var currentError: StoreError? {
    self.state.withLock { state in
      if state.isUpdatingSchema { return Self.isMigrating }
      return state.retryAt == nil ? nil : state.lastError
    }
  }

  private static let isMigrating = StoreError.unavailable(reason: "this server is migrating the database")

  // MARK: Timelines

  /// The number of hosts in the URL.
  var hostCount: Int { self.address.endpoints.count }

  /// Notes the timeline of a host that accepts writes. A timeline is the history to which a PostgreSQL server writes;
  /// each promotion of a standby begins a later one.
  ///
  /// If a later timeline is known, the host is a former primary, and is ignored. If the host's timeline is later than
  /// the known one, the host has been promoted: new connections then try it first, without a pause after earlier
  /// failures. The timeline of a different database cluster replaces the known timeline.
  func note(_ timeline: Timeline, of host: Int) {
    self.state.withLock { state in
      if let known = state.timeline {
        if timeline.isFormer(after: known) { return }
        if known.isFormer(after: timeline) { (state.preferred, state.retryAt) = (host, nil) }
      }
      state.timeline = timeline
    }
  }

  /// Whether the connection can be to the current primary. False if a host with a later timeline is known.
  func isCurrent(_ connection: PostgresConnection) -> Bool {
    guard let timeline = connection.timeline, let known = self.state.withLock({ $0.timeline }) else { return true }
    return !timeline.isFormer(after: known)
  }

  /// Connects to a host to read its timeline, even if the host does not accept writes. Does not set up the session. No
  /// request waits for this connection, so the host may take three times the usual timeout.
  func connectToWatch(_ host: Int) throws(ConnectionError) -> PostgresConnection {
    let endpoint = self.address.endpoints[host].map { keyword, value in
      (keyword: keyword, value: keyword == "target_session_attrs" ? "any" : value)
    }
    return try Self.connect(to: endpoint, until: .now + self.hostTimeout * 3)
  }

  // MARK: Connecting

  /// Connects to the first host that can be used, beginning with the preferred one.
  /// - Returns: The connection, and the state of the schema, which is nil if it is not known yet.
  /// - Throws: ``StoreError/unavailable(reason:)`` if no host can be used; ``StoreError/unusable(reason:)`` as soon as
  ///   one host reports it, without trying the next host.
  private func connectToAnyHost(
    preferred: Int, until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> (PostgresConnection, Schema.State?) {
    var reasons: [String] = []
    for offset in self.address.endpoints.indices {
      let index = (preferred + offset) % self.address.endpoints.count
      do throws(StoreError) {
        return try self.connect(to: index, until: deadline)
      } catch {
        guard case .unavailable(let reason) = error else { throw error }
        reasons.append("\(self.address.hosts[index]): \(reason)")
      }
      if ContinuousClock.now >= deadline { break }
    }
    throw .unavailable(reason: "cannot connect to PostgreSQL: \(reasons.joined(separator: "; "))")
  }

  /// Connects to one host, and checks that it can be used.
  /// - Returns: As for ``connectToAnyHost(preferred:until:)``.
  private func connect(
    to index: Int, until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> (PostgresConnection, Schema.State?) {
    let connection: PostgresConnection
    do throws(ConnectionError) {
      connection = try Self.connect(to: self.address.endpoints[index], until: min(deadline, .now + self.hostTimeout))
    } catch { throw .unavailable(reason: error.reason) }
    let setup = SessionSetup(connection: connection, schema: self.schema)
    let state = try setup.checkServer(until: min(deadline, .now + self.hostTimeout))
    if let timeline = connection.timeline { self.note(timeline, of: index) }
    guard self.isCurrent(connection) else {
      throw .unavailable(reason: "the server accepts writes, but another server has been promoted since")
    }
    self.state.withLock { $0.preferred = index }
    return (connection, state)
  }

  /// Connects to one host. If PgBouncer rejects the session's settings, connects again without them.
  private static func connect(
    to endpoint: [(keyword: String, value: String)], until deadline: ContinuousClock.Instant
  ) throws(ConnectionError) -> PostgresConnection {
    do throws(ConnectionError) { return try PostgresConnection(endpoint, until: deadline) } catch {
      guard error.reason.contains("unsupported startup parameter") else { throw error }
      return try PostgresConnection(endpoint.filter { $0.keyword != "options" }, until: deadline)
    }
  }

  /// Creates or migrates the schema if it is not current.
  /// - Parameter state: The state of the schema; nil if it is not known yet.
  private func prepare(
    _ connection: PostgresConnection, _ state: Schema.State?, until deadline: ContinuousClock.Instant
  ) throws(StoreError) {
    let setup = SessionSetup(connection: connection, schema: self.schema)
    let current = if let state { state } else { try setup.schemaState(until: deadline) }
    if self.schema.isCurrent(current) { return }
    guard self.createsSchema else {
      throw .unusable(
        reason: """
          the schema 'sallyport' does not exist or is not current; the next start of the server or 'sallyportd store init' \
          updates it
          """)
    }
    try self.updateSchema(setup, until: deadline)
  }

  /// Creates or migrates the schema on one thread. Other threads wait until it has finished, or until their own
  /// deadlines, so a request fails in time even if the migration of a large database takes long.
  private func updateSchema(_ setup: SessionSetup, until deadline: ContinuousClock.Instant) throws(StoreError) {
    while !self.state.withLock({ $0.beginUpdatingSchema() }) {
      guard ContinuousClock.now < deadline else { throw Self.isMigrating }
      Socket.sleep(.milliseconds(10))
    }
    defer { self.state.withLock { $0.isUpdatingSchema = false } }
    var update = SchemaUpdate(setup: setup)
    try update.apply()
  }
}

extension ConnectionError {
  var reason: String {
    switch self {
    case .rejected(let rejection): rejection.description
    case .lost(let reason): reason
    }
  }
}
