import Logging
import SallyportProtocol
import SallyportServer
import Synchronization

/// Whether the server can do its work now: whether it has started, is not about to stop, and its store can be read and written.
///
/// The store is looked at when somebody asks, at most once in a second, however many ask.
final class Readiness: Sendable {
  enum Answer: String, Sendable {
    case ready, starting, stopping
    case storeUnavailable = "store unavailable"
  }

  private enum Phase {
    case starting, running, stopping
  }

  private enum Way {
    case known(Bool), look, wait
  }

  private struct State {
    var phase = Phase.starting
    var last: (isGood: Bool, at: ContinuousClock.Instant)?
    var isChecking = false
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  /// How long one look at the store is believed.
  private static var lifetime: Duration { .seconds(1) }
  /// The one row that a look writes: an attempt that nobody makes.
  private static var key: Fingerprint { Fingerprint(of: Secret("readiness")) }

  private let store: any Store
  private let logger: Logger
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  init(store: any Store, logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.store = store
    self.logger = logger
    self.now = now
  }

  /// The server accepts connections.
  func started() {
    self.state.withLock { state in
      if state.phase == .starting { state.phase = .running }
    }
  }

  /// The server will stop, and is not ready from now on.
  func stopping() {
    self.state.withLock { $0.phase = .stopping }
  }

  var isStopping: Bool { self.state.withLock { $0.phase == .stopping } }

  func answer() async -> Answer {
    if let answer = self.phaseAnswer { return answer }
    let isGood = await self.isStoreGood()
    // The look took its time; meanwhile the server may have been told to stop.
    return self.phaseAnswer ?? (isGood ? .ready : .storeUnavailable)
  }

  private var phaseAnswer: Answer? {
    switch self.state.withLock({ $0.phase }) {
    case .starting: .starting
    case .stopping: .stopping
    case .running: nil
    }
  }

  /// Whoever asks while somebody looks gets what that one sees.
  private func isStoreGood() async -> Bool {
    let now = self.now()
    let way: Way = self.state.withLock { state in
      if let last = state.last, last.at.duration(to: now) < Self.lifetime { return .known(last.isGood) }
      if state.isChecking { return .wait }
      state.isChecking = true
      return .look
    }
    switch way {
    case .known(let isGood): return isGood
    case .look: return await self.look()
    case .wait: return await withCheckedContinuation { self.join($0) }
    }
  }

  private func join(_ continuation: CheckedContinuation<Bool, Never>) {
    let known: Bool? = self.state.withLock { state in
      // Between the decision to wait and this moment the look may have ended.
      guard state.isChecking else { return state.last?.isGood ?? false }
      state.waiting.append(continuation)
      return nil
    }
    if let known { continuation.resume(returning: known) }
  }

  private func look() async -> Bool {
    let error = await self.failure()
    let (before, waiting) = self.state.withLock { state in
      defer {
        state.last = (error == nil, self.now())
        state.isChecking = false
        state.waiting = []
      }
      return (state.last?.isGood ?? true, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: error == nil) }
    if let error, before { self.logger.error("the store cannot be used", metadata: ["error": "\(error)"]) }
    if error == nil, !before { self.logger.notice("the store can be used again") }
    return error == nil
  }

  /// Reads as an endpoint does, and writes a row that reaches the disk: what is full or read-only is seen only so.
  private func failure() async -> StoreError? {
    do throws(StoreError) {
      _ = try await self.store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
      let key = Self.key
      _ = try await self.store.write { (tx) throws(StoreError) in
        try tx.countAttempt(key, window: .seconds(3600), at: .now())
      }
      return nil
    } catch { return error }
  }
}
