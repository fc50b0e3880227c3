#if os(Linux)
  import Dispatch
  import Sallyport
  import Synchronization

  /// Cancels a running libsecret call when its task is canceled or the time limit is reached.
  final class SecretServiceCancellation: Sendable {
    private struct State {
      var isCancelled = false
      /// The running call: the address of its `GCancellable` (the object with which GLib cancels a call), and the
      /// library that the call uses.
      var running: (address: UInt, library: LibSecret)?
    }

    private let state = Mutex(State())

    /// Runs `body` with a `GCancellable`, which is available as ``address``.
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
        // From here on, the GCancellable cannot be canceled, so it can be released.
        self.state.withLock { $0.running = nil }
        library.release(cancellable)
      }
      guard !isCancelled else { throw .unavailable(reason: "the call was canceled") }
      return try body()
    }

    /// The address of the running call's `GCancellable`, or 0 if no call is running.
    var address: UInt { self.state.withLock { $0.running?.address ?? 0 } }

    func cancel() {
      self.state.withLock { state in
        state.isCancelled = true
        if let running = state.running { running.library.cancel(running.address) }
      }
    }
  }
#endif
