import CLibPQ

/// A connection to a PostgreSQL server, used by one thread at a time.
///
/// Statements are sent in libpq's pipeline mode. ``enqueue(_:_:)`` only queues a statement, and ``exchange(until:)``
/// sends all queued statements at once and waits for their results: one round trip. If a statement fails, the server
/// skips the statements after it.
///
/// Every wait has a deadline. If the server does not respond in time, the connection is closed. No cancel request is
/// sent, because a COMMIT that is waiting for the standby would then succeed without the standby.
final class PostgresConnection {
  /// What the server returns next.
  private enum Expectation {
    /// The response to the preparation of a statement.
    case parsed(sql: String)
    /// The result of a statement.
    case result
  }

  private var handle: OpaquePointer?
  /// The names of the prepared statements, by their SQL.
  private var names: [String: String] = [:]
  private var nextName = 0
  /// Whether statements are prepared by name. False until the connection is known to have a session of its own: behind
  /// PgBouncer, the next transaction may run in another session, which does not have the statement.
  var preparesStatements = false
  /// The timeline of the server, if it accepts writes.
  var timeline: Timeline?
  private var expectations: [Expectation] = []
  /// The exchanges whose results have not been read yet (see ``sendWithoutWaiting()``).
  private var unreadExchanges: [[Expectation]] = []
  /// The warnings that the server has sent since the last exchange began.
  private(set) var warnings: [ServerWarning] = []
  /// The number of calls to ``exchange(until:)`` that sent their statements.
  private(set) var roundTrips = 0
  /// How long the shortest round trip took; zero if there was none.
  private(set) var shortestRoundTrip = Duration.zero

  /// Connects to one server.
  /// - Parameter parameters: The keywords and values of libpq's connection parameters.
  init(_ parameters: [(keyword: String, value: String)], until deadline: ContinuousClock.Instant) throws(ConnectionError) {
    self.handle = Self.start(parameters)
    _ = libpq_PQsetNoticeReceiver(
      self.handle,
      { context, notice in
        guard let context, let warning = ServerWarning(notice) else { return }
        Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue().warnings.append(warning)
      }, Unmanaged.passUnretained(self).toOpaque())
    try self.finishConnecting(until: deadline)
    guard libpq_PQsetnonblocking(self.handle, 1) == 0, libpq_PQenterPipelineMode(self.handle) == 1 else {
      throw self.closeAfterFailure()
    }
  }

  deinit {
    self.close()
  }

  /// Whether the connection can be used. Detects a connection that the server has closed in the meantime.
  var isUsable: Bool {
    guard let handle, libpq_PQstatus(handle) == LIBPQ_CONNECTION_OK else { return false }
    // The server sends nothing to an idle connection, unless it closes the connection or sends a notification.
    guard Socket.wait(libpq_PQsocket(handle), until: .now) == .ready else { return true }
    return libpq_PQconsumeInput(handle) == 1 && libpq_PQstatus(handle) == LIBPQ_CONNECTION_OK
  }

  /// The version of the server, for example 150007.
  var serverVersion: Int { Int(libpq_PQserverVersion(self.handle)) }

  func close() {
    if let handle { libpq_PQfinish(handle) }
    self.handle = nil
  }

  // MARK: Statements

  /// Queues a statement, and prepares it if this connection prepares statements and has not used it before.
  func enqueue(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws(ConnectionError) {
    guard self.handle != nil else { throw .lost(reason: "the connection is closed") }
    let name = self.preparesStatements ? try self.prepare(sql) : nil
    let isSent = EncodedArguments(arguments).withPointers { count, values, lengths, formats in
      if let name { return libpq_PQsendQueryPrepared(self.handle, name, count, values, lengths, formats, 1) }
      return libpq_PQsendQueryParams(self.handle, sql, count, nil, values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw self.closeAfterFailure() }
    self.expectations.append(.result)
  }

  private func prepare(_ sql: String) throws(ConnectionError) -> String {
    if let name = self.names[sql] { return name }
    let name = "s\(self.nextName)"
    self.nextName += 1
    guard libpq_PQsendPrepare(self.handle, name, sql, 0, nil) == 1 else { throw self.closeAfterFailure() }
    self.expectations.append(.parsed(sql: sql))
    self.names[sql] = name
    return name
  }

  /// Whether there are queued statements that have not been sent yet.
  var hasQueuedStatements: Bool { !self.expectations.isEmpty }

  /// The number of queued statements, without the preparations of statements.
  var queuedStatements: Int {
    self.expectations.count { if case .result = $0 { true } else { false } }
  }

  /// Sends the queued statements and waits for their results.
  /// - Throws: ``ConnectionError/rejected(_:)`` for the first statement that failed, even if the connection fails
  ///   afterward; ``ConnectionError/lost(reason:)`` if the connection fails first.
  func exchange(until deadline: ContinuousClock.Instant) throws(ConnectionError) -> [QueryResult] {
    let began = ContinuousClock.now
    self.warnings = []
    try self.sendWithoutWaiting()
    self.roundTrips += 1
    try self.flush(until: deadline)
    while self.unreadExchanges.count > 1 {
      // The results of an earlier `sendWithoutWaiting()`.
      let skipped = self.unreadExchanges.removeFirst()
      do throws(ConnectionError) { _ = try self.read(skipped, until: deadline) } catch {
        if case .lost = error { throw error }
      }
    }
    let results = try self.read(self.unreadExchanges.removeFirst(), until: deadline)
    let duration = began.duration(to: .now)
    self.shortestRoundTrip = self.shortestRoundTrip == .zero ? duration : min(self.shortestRoundTrip, duration)
    return results
  }

  /// Sends the queued statements without waiting for their results. The next call to ``exchange(until:)`` reads and
  /// ignores these results.
  func sendWithoutWaiting() throws(ConnectionError) {
    guard self.handle != nil else { throw .lost(reason: "the connection is closed") }
    guard libpq_PQpipelineSync(self.handle) == 1 else { throw self.closeAfterFailure() }
    self.unreadExchanges.append(self.expectations)
    self.expectations = []
    // The next exchange sends what does not fit into the socket's buffer now.
    if libpq_PQflush(self.handle) < 0 { throw self.closeAfterFailure() }
  }

  /// Runs statements without parameters, separated by semicolons, in the current transaction or, without one, in a new
  /// transaction.
  func run(script: String, until deadline: ContinuousClock.Instant) throws(ConnectionError) {
    guard libpq_PQexitPipelineMode(self.handle) == 1, libpq_PQsendQuery(self.handle, script) == 1 else {
      throw self.closeAfterFailure()
    }
    try self.flush(until: deadline)
    var rejection: ConnectionError.Rejection?
    while let result = try self.nextResult(until: deadline) {
      rejection = rejection ?? self.rejection(result, position: 0)
      libpq_PQclear(result)
    }
    guard libpq_PQenterPipelineMode(self.handle) == 1 else { throw self.closeAfterFailure() }
    if let rejection { throw .rejected(rejection) }
  }

  /// Waits until the server sends something, such as a notification (`NOTIFY`), or until the deadline, and discards
  /// notifications. Throws an error if the server has closed the connection.
  func waitForNotification(until deadline: ContinuousClock.Instant) throws(ConnectionError) {
    guard self.handle != nil, Socket.wait(libpq_PQsocket(self.handle), until: deadline) == .ready else { return }
    guard libpq_PQconsumeInput(self.handle) == 1 else { throw self.closeAfterFailure() }
    while let notification = libpq_PQnotifies(self.handle) { libpq_PQfreemem(UnsafeMutableRawPointer(notification)) }
  }

  // MARK: Results

  private func read(
    _ expectations: [Expectation], until deadline: ContinuousClock.Instant
  ) throws(ConnectionError) -> [QueryResult] {
    var results: [QueryResult] = []
    var rejection: ConnectionError.Rejection?
    var position = 0
    do throws(ConnectionError) {
      for expectation in expectations {
        let handle = try self.expectedResult(until: deadline)
        let result = QueryResult(handle)
        let status = libpq_PQresultStatus(handle)
        rejection = rejection ?? self.rejection(handle, position: position)
        switch expectation {
        case .parsed(let sql): if status != LIBPQ_COMMAND_OK { self.names[sql] = nil }
        case .result:
          results.append(result)
          position += 1
        }
        // After the result of each statement, libpq returns null once.
        if let extra = try self.nextResult(until: deadline) { libpq_PQclear(extra) }
      }
      let synchronization = try self.expectedResult(until: deadline)
      libpq_PQclear(synchronization)
    } catch {
      // The statements after the rejected one did not run, so the outcome is known even though the connection failed.
      guard let rejection else { throw error }
      throw .rejected(rejection)
    }
    guard let rejection else { return results }
    if rejection.endsSession { self.close() }
    throw .rejected(rejection)
  }

  private func rejection(_ result: OpaquePointer, position: Int) -> ConnectionError.Rejection? {
    guard libpq_PQresultStatus(result) == LIBPQ_FATAL_ERROR else { return nil }
    func field(_ field: Int32) -> String {
      libpq_PQresultErrorField(result, field).map { String(cString: $0) } ?? ""
    }
    return ConnectionError.Rejection(
      state: field(LIBPQ_DIAG_SQLSTATE), message: field(LIBPQ_DIAG_MESSAGE), position: position,
      isFatal: field(LIBPQ_DIAG_SEVERITY) != "ERROR")
  }

  private func expectedResult(until deadline: ContinuousClock.Instant) throws(ConnectionError) -> OpaquePointer {
    guard let result = try self.nextResult(until: deadline) else { throw self.closeAfterFailure() }
    return result
  }

  private func nextResult(until deadline: ContinuousClock.Instant) throws(ConnectionError) -> OpaquePointer? {
    while libpq_PQisBusy(self.handle) == 1 {
      guard Socket.wait(libpq_PQsocket(self.handle), until: deadline) == .ready else { throw self.closeAfterTimeout() }
      guard libpq_PQconsumeInput(self.handle) == 1 else { throw self.closeAfterFailure() }
    }
    return libpq_PQgetResult(self.handle)
  }

  private func flush(until deadline: ContinuousClock.Instant) throws(ConnectionError) {
    while true {
      switch libpq_PQflush(self.handle) {
      case 0: return
      case 1:
        guard Socket.wait(libpq_PQsocket(self.handle), .either, until: deadline) == .ready else {
          throw self.closeAfterTimeout()
        }
        // The server may stop reading the statements until the client reads the responses.
        guard libpq_PQconsumeInput(self.handle) == 1 else { throw self.closeAfterFailure() }
      default: throw self.closeAfterFailure()
      }
    }
  }

  // MARK: Opening and closing

  private static func start(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
    let keywords = EncodedArguments(parameters.map { $0.keyword })
    let values = EncodedArguments(parameters.map { $0.value })
    return keywords.withPointers { _, keywords, _, _ in
      values.withPointers { _, values, _, _ in libpq_PQconnectStartParams(keywords + [nil], values + [nil], 0) }
    }
  }

  private func finishConnecting(until deadline: ContinuousClock.Instant) throws(ConnectionError) {
    guard let handle, libpq_PQstatus(handle) != LIBPQ_CONNECTION_BAD else { throw self.closeAfterFailure() }
    var isWriting = true
    while true {
      let socket = libpq_PQsocket(handle)
      guard Socket.wait(socket, isWriting ? .writing : .reading, until: deadline) == .ready else {
        throw self.closeAfterTimeout()
      }
      switch libpq_PQconnectPoll(handle) {
      case LIBPQ_POLLING_OK: return
      case LIBPQ_POLLING_READING: isWriting = false
      case LIBPQ_POLLING_WRITING: isWriting = true
      default: throw self.closeAfterFailure()
      }
    }
  }

  /// Closes the connection.
  /// - Returns: The error with libpq's reason.
  private func closeAfterFailure() -> ConnectionError {
    let message = libpq_PQerrorMessage(self.handle).map { String(cString: $0) } ?? ""
    self.close()
    let reason = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    return .lost(reason: reason.isEmpty ? "the connection to PostgreSQL failed" : reason)
  }

  private func closeAfterTimeout() -> ConnectionError {
    self.close()
    return .lost(reason: "PostgreSQL did not respond in time")
  }
}
