import Synchronization

/// A gate that a test opens once. Callers wait until it is open.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiterID = 0
    /// The IDs of waiters that were canceled while `waiting` did not contain them: before `wait()` added them, or after
    /// `open()` removed them.
    var canceled: Set<Int> = []
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

  /// Returns when the gate is open, or when the task is canceled.
  package func wait() async {
    let waiterID = self.state.withLock { state in
      state.lastWaiterID += 1
      return state.lastWaiterID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let canPass = self.state.withLock { state in
          if state.isOpen || state.canceled.remove(waiterID) != nil { return true }
          state.waiting[waiterID] = continuation
          return false
        }
        if canPass { continuation.resume() }
      }
    } onCancel: {
      let continuation = self.state.withLock { state in
        let continuation = state.waiting.removeValue(forKey: waiterID)
        if continuation == nil { state.canceled.insert(waiterID) }
        return continuation
      }
      continuation?.resume()
    }
  }
}
