import Sallyport
import Synchronization

/// The exclusive leases on the keys of a token store. Tasks get a lease in the order in which they asked for it.
final class LeaseQueue: Sendable {
  private typealias Waiter = (number: Int, continuation: CheckedContinuation<Void, any Error>)

  private struct State {
    /// The waiters for each lease that is held. A lease that is held without waiters has an empty array.
    var leases: [TokenStoreKey: [Waiter]] = [:]
    var lastNumber = 0
    /// The numbers of waiters that were canceled while `leases` did not contain them.
    var canceled: Set<Int> = []
  }

  private let state = Mutex(State())

  var held: Set<TokenStoreKey> { self.state.withLock { Set($0.leases.keys) } }

  /// Waits until the lease is free, and takes it.
  /// - Throws: `CancellationError` if the task is canceled before it gets the lease.
  func acquire(_ key: TokenStoreKey) async throws {
    let number = self.state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    // If the task is canceled after it got the lease, `cancel` adds the number to `canceled`. Remove it here.
    defer { self.state.withLock { _ = $0.canceled.remove(number) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { self.enqueue((number, $0), for: key) }
    } onCancel: {
      self.cancel(number, key)
    }
  }

  /// Passes the lease to the next waiting task, or frees it.
  func release(_ key: TokenStoreKey) {
    let next = self.state.withLock { state -> Waiter? in
      guard let waiters = state.leases[key], let first = waiters.first else {
        state.leases[key] = nil
        return nil
      }
      state.leases[key] = Array(waiters.dropFirst())
      return first
    }
    next?.continuation.resume()
  }

  private func enqueue(_ waiter: Waiter, for key: TokenStoreKey) {
    let outcome = self.state.withLock { state -> Result<Void, any Error>? in
      if state.canceled.remove(waiter.number) != nil { return .failure(CancellationError()) }
      guard let waiters = state.leases[key] else {
        state.leases[key] = []
        return .success(())
      }
      state.leases[key] = waiters + [waiter]
      // `release` or `cancel` resumes the waiter.
      return nil
    }
    if let outcome { waiter.continuation.resume(with: outcome) }
  }

  private func cancel(_ number: Int, _ key: TokenStoreKey) {
    let waiter = self.state.withLock { state -> Waiter? in
      guard let index = state.leases[key]?.firstIndex(where: { $0.number == number }) else {
        state.canceled.insert(number)
        return nil
      }
      return state.leases[key]?.remove(at: index)
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }
}
