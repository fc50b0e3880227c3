#if os(Linux)
  import Dispatch
  import Sallyport
  import Synchronization

  /// Ends a call into libsecret from outside: when its task is cancelled, or when nobody answers in time.
  final class SecretServiceCancellation: Sendable {
    private struct State {
      var isCancelled = false
      /// The `GCancellable` of a running call, as an address; its library stays loaded.
      var running: (address: UInt, library: LibSecret)?
    }

    private let state = Mutex(State())

    /// Runs `body` with a `GCancellable` that ``address`` names.
    func run<R>(
      with library: LibSecret, timeLimit: Duration, _ body: () throws(TokenStoreError) -> R
    ) throws(TokenStoreError) -> R {
      let cancellable = library.makeCancellable()
      let isCancelled = self.state.withLock { state in
        state.running = (cancellable, library)
        return state.isCancelled
      }
      let timer = DispatchWorkItem { self.cancel() }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(timeLimit.components.seconds)), execute: timer)
      defer {
        timer.cancel()
        // After this nobody can cancel it any more, so nobody uses it after it is freed.
        self.state.withLock { $0.running = nil }
        library.release(cancellable)
      }
      guard !isCancelled else { throw .unavailable(reason: "cancelled") }
      return try body()
    }

    var address: UInt { self.state.withLock { $0.running?.address ?? 0 } }

    func cancel() {
      self.state.withLock { state in
        state.isCancelled = true
        if let running = state.running { running.library.cancel(running.address) }
      }
    }
  }
#endif
