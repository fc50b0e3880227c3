import Dispatch
import Foundation
import SallyportServer
import Synchronization

/// A bounded number of threads, each with a connection of its own, which run the bodies of transactions.
///
/// Requests wait in one queue. A thread takes the first request only after it has opened its connection, so a request
/// does not wait for a slow connection attempt if the connection of another thread becomes free first. If no thread
/// takes a request by its deadline, the request fails at most about 25 milliseconds later.
///
/// Threads are started when they are first needed. The thread that was used last is used next, so that few connections
/// are used when there is little to do.
final class ConnectionPool: Sendable {
  struct Request: Sendable {
    let deadline: ContinuousClock.Instant
    let run: @Sendable (ConnectionSource) -> Void
    let fail: @Sendable (StoreError) -> Void
  }

  private struct State {
    /// The semaphores on which the threads without a request wait. The last one was used most recently.
    var idle: [DispatchSemaphore] = []
    /// The number of threads that were started.
    var count = 0
    /// The number of threads that are opening a connection.
    var connecting = 0
    var waiting: [Request] = []
    /// Whether ``ConnectionPool/sweepLater()`` is scheduled, which it is while requests wait.
    var isSweeping = false
    var isClosed = false

    mutating func takeFirst() -> Request? { self.waiting.isEmpty ? nil : self.waiting.removeFirst() }
  }

  private let size: Int
  private let connector: Connector
  private let state = Mutex(State())

  init(size: Int, connector: Connector) {
    self.size = size
    self.connector = connector
  }

  /// The number of requests that wait for a thread.
  var waiting: Int { self.state.withLock { $0.waiting.count } }

  /// Runs `body` on a thread of the pool.
  /// - Parameter deadline: When to stop waiting for a thread. The pool does not limit how long `body` takes.
  func run<R: Sendable>(
    until deadline: ContinuousClock.Instant, _ body: @escaping @Sendable (ConnectionSource) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let result: Result<R, StoreError> = await withCheckedContinuation { continuation in
      self.submit(
        Request(
          deadline: deadline,
          run: { source in continuation.resume(returning: Result { () throws(StoreError) in try body(source) }) },
          fail: { continuation.resume(returning: .failure($0)) }))
    }
    return try result.get()
  }

  /// Closes idle connections now, and each connection in use as soon as its request has ended. Requests that wait for a
  /// thread, and later requests, fail.
  func close() {
    let (idle, waiting) = self.state.withLock { state in
      state.isClosed = true
      defer { (state.idle, state.waiting) = ([], []) }
      return (state.idle, state.waiting)
    }
    for wakeUp in idle { wakeUp.signal() }
    for request in waiting { request.fail(Self.closed) }
  }

  private static let closed = StoreError.unavailable(reason: "the database is closed")

  /// What happens when a request is added to the queue.
  private enum Placement {
    /// The idle thread that waits on this semaphore is woken up.
    case idle(DispatchSemaphore)
    /// A thread is started.
    case new
    /// All threads have something to do.
    case busy
    /// The request fails, because the pool is closed.
    case closed
  }

  private func submit(_ request: Request) {
    let (placement, startsSweeping) = self.state.withLock { state -> (Placement, Bool) in
      if state.isClosed { return (.closed, false) }
      state.waiting.append(request)
      defer { state.isSweeping = true }
      if let wakeUp = state.idle.popLast() { return (.idle(wakeUp), !state.isSweeping) }
      guard state.count < self.size else { return (.busy, !state.isSweeping) }
      state.count += 1
      return (.new, !state.isSweeping)
    }
    switch placement {
    case .idle(let wakeUp): wakeUp.signal()
    case .new: self.startThread()
    case .busy: break
    case .closed: request.fail(Self.closed)
    }
    if startsSweeping { self.sweepLater() }
  }

  // MARK: Threads

  private func startThread() {
    let thread = Thread {
      let source = ConnectionSource(self.connector)
      let wakeUp = DispatchSemaphore(value: 0)
      while self.waitForRequest(source, wakeUp) {
        if source.isReady {
          self.state.withLock { $0.takeFirst() }?.run(source)
        } else if let error = self.connect(source) {
          self.state.withLock { $0.takeFirst() }?.fail(error)
        }
      }
      source.close()
    }
    thread.name = "postgres"
    thread.start()
  }

  /// Blocks the thread until there is a request in the queue.
  /// - Returns: False if the pool is closed.
  private func waitForRequest(_ source: ConnectionSource, _ wakeUp: DispatchSemaphore) -> Bool {
    while true {
      let mustContinue = self.state.withLock { state -> Bool? in
        if state.isClosed { return false }
        if !state.waiting.isEmpty { return true }
        // A thread without a connection is used last.
        state.idle.insert(wakeUp, at: source.isOpen ? state.idle.endIndex : 0)
        return nil
      }
      if let mustContinue { return mustContinue }
      wakeUp.wait()
    }
  }

  /// Opens the connection of a thread. The attempt continues even if all waiting requests fail meanwhile.
  /// - Returns: Why the connection could not be opened; nil if it is open.
  private func connect(_ source: ConnectionSource) -> StoreError? {
    self.state.withLock { $0.connecting += 1 }
    defer { self.state.withLock { $0.connecting -= 1 } }
    do throws(StoreError) { try source.open() } catch { return error }
    return nil
  }

  // MARK: Deadlines

  /// Fails the requests whose deadline has passed, even if no thread becomes free, and repeats this while requests
  /// wait.
  private func sweepLater() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(25)) {
      let now = ContinuousClock.now
      let (expired, isConnecting, continues) = self.state.withLock { state -> ([Request], Bool, Bool) in
        let expired = state.waiting.filter { $0.deadline <= now }
        if !expired.isEmpty { state.waiting.removeAll { $0.deadline <= now } }
        state.isSweeping = !state.waiting.isEmpty
        return (expired, state.connecting > 0, state.isSweeping)
      }
      if !expired.isEmpty {
        let error = isConnecting ? self.connector.currentError ?? Self.connecting : Self.busy
        for request in expired { request.fail(error) }
      }
      if continues { self.sweepLater() }
    }
  }

  private static let busy = StoreError.unavailable(
    reason: "all connections to PostgreSQL were busy for too long")
  private static let connecting = StoreError.unavailable(reason: "connecting to PostgreSQL took too long")
}
