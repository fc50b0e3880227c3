import Dispatch
import SallyportServer
import Synchronization

#if canImport(FoundationEssentials)
  import Foundation
#endif

/// A bounded number of threads, each with a connection of its own, which run the bodies of transactions.
///
/// If no thread is free by the deadline of a request, the request fails at most about 25 milliseconds later. Threads
/// are started when they are first needed. The thread that was used last is used next, so that few connections are used
/// when there is little to do.
final class ConnectionPool: Sendable {
  struct Request: Sendable {
    let deadline: ContinuousClock.Instant
    let run: @Sendable (ConnectionSource) -> Void
    let fail: @Sendable (StoreError) -> Void
  }

  /// A thread, and the request that it runs next.
  private final class Worker: Sendable {
    let wakeUp = DispatchSemaphore(value: 0)
    private let request = Mutex<Request?>(nil)

    func assign(_ request: Request) {
      self.request.withLock { $0 = request }
      self.wakeUp.signal()
    }

    /// Waits for the next request.
    /// - Returns: Nil if the thread must end.
    func next() -> Request? {
      self.wakeUp.wait()
      return self.request.withLock { request in
        defer { request = nil }
        return request
      }
    }
  }

  private struct State {
    /// The workers without a request. The last one was used most recently.
    var idle: [Worker] = []
    /// The number of threads that were started.
    var count = 0
    var waiting: [Request] = []
    /// Whether ``ConnectionPool/sweepLater()`` is scheduled, which it is while requests wait.
    var isSweeping = false
    var isClosed = false
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
    for worker in idle { worker.wakeUp.signal() }
    for request in waiting { request.fail(Self.closed) }
  }

  private static let closed = StoreError.unavailable(reason: "the database is closed")

  private enum Placement { case idle(Worker), new, queued(startsSweeping: Bool), closed }

  private func submit(_ request: Request) {
    let placement = self.state.withLock { state -> Placement in
      if state.isClosed { return .closed }
      if let worker = state.idle.popLast() { return .idle(worker) }
      if state.count < self.size {
        state.count += 1
        return .new
      }
      state.waiting.append(request)
      defer { state.isSweeping = true }
      return .queued(startsSweeping: !state.isSweeping)
    }
    switch placement {
    case .idle(let worker): worker.assign(request)
    case .new: self.startThread(with: request)
    case .queued(let startsSweeping): if startsSweeping { self.sweepLater() }
    case .closed: request.fail(Self.closed)
    }
  }

  private func startThread(with request: Request) {
    let worker = Worker()
    worker.assign(request)
    let thread = Thread {
      let source = ConnectionSource(self.connector)
      while let request = worker.next() {
        var current: Request? = request
        while let request = current {
          self.perform(request, source)
          current = self.finish(worker)
        }
      }
      source.close()
    }
    thread.name = "postgres"
    thread.start()
  }

  private func perform(_ request: Request, _ source: ConnectionSource) {
    if ContinuousClock.now >= request.deadline { request.fail(Self.busy) } else { request.run(source) }
  }

  /// Returns the next waiting request for the worker. If no request is waiting, marks the worker as idle. If the pool
  /// is closed, ends the worker's thread.
  private func finish(_ worker: Worker) -> Request? {
    let (next, mustEnd) = self.state.withLock { state -> (Request?, Bool) in
      if state.isClosed { return (nil, true) }
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
      state.idle.append(worker)
      return (nil, false)
    }
    // Without a request, `next()` returns nil, and the thread ends.
    if mustEnd { worker.wakeUp.signal() }
    return next
  }

  private static let busy = StoreError.unavailable(
    reason: "all connections to PostgreSQL were busy for too long")

  /// Fails the requests whose deadline has passed, even if no thread becomes free, and repeats this while requests
  /// wait.
  private func sweepLater() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(25)) {
      let now = ContinuousClock.now
      let (expired, continues) = self.state.withLock { state -> ([Request], Bool) in
        let expired = state.waiting.filter { $0.deadline <= now }
        if !expired.isEmpty { state.waiting.removeAll { $0.deadline <= now } }
        state.isSweeping = !state.waiting.isEmpty
        return (expired, state.isSweeping)
      }
      for request in expired { request.fail(Self.busy) }
      if continues { self.sweepLater() }
    }
  }
}
