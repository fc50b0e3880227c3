import Logging
import SallyportProtocol
import SallyportRemote
import SallyportServer
import Synchronization

/// Whether the server is ready: it has started, is not stopping, and can read and write its store.
///
/// The store is checked on request, but at most once per second.
final class Readiness: Sendable {
  enum Status: String, Sendable {
    case ready, starting, stopping
    case storeUnavailable = "store unavailable"
  }

  private enum Phase {
    case starting, running, stopping
  }

  private struct State {
    var phase = Phase.starting
    var isWaitingForStore = false
    var last: (isAvailable: Bool, at: ContinuousClock.Instant)?
  }

  /// How long the result of a check is reused.
  private static var lifetime: Duration { .seconds(1) }
  /// The key of the attempt counter that a check increments. Nothing else uses this counter.
  private static var key: Fingerprint { Fingerprint(of: Secret("readiness")) }

  private let store: any Store
  private let checkStorage: @Sendable () async throws(StoreError) -> Void
  private let logger: Logger
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())
  private let checks = SingleFlight<Fingerprint, Bool>()

  /// - Parameter checkStorage: Throws if the store loses or rejects data although a small write succeeds, for example
  ///   because its file was removed.
  init(
    store: any Store, checkStorage: @escaping @Sendable () async throws(StoreError) -> Void = {}, logger: Logger,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.store = store
    self.checkStorage = checkStorage
    self.logger = logger
    self.now = now
  }

  /// Returns a check that fails once the file at `path`, which the store has open, has been removed or replaced. The
  /// store can still write to the open file, but its content is lost when the file is closed.
  static func fileCheck(path: String) -> @Sendable () throws(StoreError) -> Void {
    let opened = FileSystem.identity(of: path)
    return { () throws(StoreError) in
      guard FileSystem.identity(of: path) == opened else {
        throw .unavailable(reason: "the database file was removed or replaced while it was in use")
      }
    }
  }

  /// Call this when the server accepts connections.
  func markStarted() {
    self.state.withLock { state in
      if state.phase == .starting { state.phase = .running }
    }
  }

  /// Whether the server started although its store was unavailable, and is still trying to prepare the store.
  var isWaitingForStore: Bool {
    get { self.state.withLock { $0.isWaitingForStore } }
    set { self.state.withLock { $0.isWaitingForStore = newValue } }
  }

  /// Call this when the server begins to stop.
  func markStopping() {
    self.state.withLock { $0.phase = .stopping }
  }

  var isStopping: Bool { self.state.withLock { $0.phase == .stopping } }

  func status() async -> Status {
    if let status = self.statusOfPhase { return status }
    let isAvailable = await self.isStoreAvailable()
    // The server may have begun to stop during the check.
    return self.statusOfPhase ?? (isAvailable ? .ready : .storeUnavailable)
  }

  private var statusOfPhase: Status? {
    let state = self.state.withLock { $0 }
    return switch state.phase {
    case .starting: .starting
    case .stopping: .stopping
    case .running: state.isWaitingForStore ? .storeUnavailable : nil
    }
  }

  /// Checks the store, or waits for the result of a check in progress.
  private func isStoreAvailable() async -> Bool {
    if let isAvailable = self.recentResult { return isAvailable }
    return await self.checks.start(Self.key) {
      // Another check may have ended since the result was read.
      if let isAvailable = self.recentResult { return isAvailable }
      return await self.check()
    }.value
  }

  /// The result of the last check, if it may be reused.
  private var recentResult: Bool? {
    let now = self.now()
    return self.state.withLock { state in
      state.last.flatMap { $0.at.duration(to: now) < Self.lifetime ? $0.isAvailable : nil }
    }
  }

  private func check() async -> Bool {
    let error = await self.failure()
    let wasAvailable = self.state.withLock { state in
      defer { state.last = (error == nil, self.now()) }
      return state.last?.isAvailable ?? true
    }
    if let error, wasAvailable { self.logger.error("the store is unavailable", metadata: ["error": "\(error)"]) }
    if error == nil, !wasAvailable { self.logger.notice("the store is available again") }
    return error == nil
  }

  /// Checks the storage, reads from the store, and commits a row, because only a write detects a full or read-only
  /// disk. Returns nil if all of this succeeds.
  private func failure() async -> StoreError? {
    do throws(StoreError) {
      try await self.checkStorage()
      _ = try await self.store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
      let key = Self.key
      _ = try await self.store.write { (tx) throws(StoreError) in
        try tx.countAttempt(key, window: .seconds(3600), at: .now())
      }
      return nil
    } catch { return error }
  }
}
