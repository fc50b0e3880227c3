import Synchronization

/// A gate that a test opens. Tasks that arrive before wait, and tasks that arrive later continue immediately.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var next = 0
    /// Places that were cancelled before their continuation was there.
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

  /// Returns when the door is open, or when the task is cancelled.
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
