import SallyportSystem

#if !os(Windows)
  import Dispatch
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Darwin
  #endif

  /// A program that runs in its own session; see ``ProcessLauncher``.
  ///
  /// A dedicated thread waits for the program, so that the program does not remain a zombie after it ends.
  final class DetachedProcess: Sendable {
    private enum State {
      case running
      /// The program is running, and a call of ``failure(within:)`` waits.
      case awaited(CheckedContinuation<String?, Never>)
      /// The program has ended. The value is the reason if it failed.
      case ended(String?)
    }

    private let state = Mutex(State.running)

    /// Starts the program, which is searched for on `$PATH` if it contains no slash.
    /// - Throws: ``SystemError`` if it cannot be started.
    init(_ arguments: [String]) throws(SystemError) {
      let process = try ProcessLauncher(arguments).launch()
      DedicatedThread.start("browser") { self.end(Self.wait(for: process)) }
    }

    /// Why the program failed, or `nil` if it exited successfully or is still running after the given time, or if the
    /// exit status is not available.
    ///
    /// Call this once. If the task is canceled while the program is running, the call returns `nil` immediately.
    func failure(within limit: Duration) async -> String? {
      let timer = DispatchWorkItem { self.stopWatching() }
      defer { timer.cancel() }
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          self.state.withLock { state in
            if case .ended(let reason) = state {
              continuation.resume(returning: reason)
            } else if Task.isCancelled {
              continuation.resume(returning: nil)
            } else {
              state = .awaited(continuation)
            }
          }
          // Start the timer only after the continuation is stored. An earlier timeout would have no effect.
          let milliseconds = Int(limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000)
          DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: timer)
        }
      } onCancel: {
        self.stopWatching()
      }
    }

    private func stopWatching() {
      self.state.withLock { state in
        guard case .awaited(let continuation) = state else { return }
        state = .running
        continuation.resume(returning: nil)
      }
    }

    private func end(_ reason: String?) {
      self.state.withLock { state in
        if case .awaited(let continuation) = state { continuation.resume(returning: reason) }
        state = .ended(reason)
      }
    }

    /// Blocks until the process has exited. Returns why it failed, or `nil` if it succeeded or its exit status is not
    /// available.
    private static func wait(for process: pid_t) -> String? {
      var status: Int32 = 0
      // If the app ignores SIGCHLD, the exit status is not available.
      guard SystemError.retrying({ Int(waitpid(process, &status, 0)) }) == process else { return nil }
      let signal = status & 0x7F
      if signal != 0 { return "ended by signal \(signal)" }
      let code = (status >> 8) & 0xFF
      return code == 0 ? nil : "exit code \(code)"
    }
  }

  extension SystemError {
    var isNotFound: Bool { self.code == ENOENT || self.code == ENOTDIR }
  }
#endif
