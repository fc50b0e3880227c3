import Synchronization

/// A gate that a test opens once. Callers wait until it is open.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var next = 0
    /// Waiters that were canceled before their continuation was stored.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  package init() {}

  package func open() {
    let waiting = self.state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the gate is open or the task is canceled.
  package func wait() async {
    let place = self.state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let passes = self.state.withLock { state in
          if state.isOpen || state.cancelled.remove(place) != nil { return true }
          state.waiting[place] = continuation
          return false
        }
        if passes { continuation.resume() }
      }
    } onCancel: {
      let continuation = self.state.withLock { state in
        let continuation = state.waiting.removeValue(forKey: place)
        if continuation == nil { state.cancelled.insert(place) }
        return continuation
      }
      continuation?.resume()
    }
  }
}
