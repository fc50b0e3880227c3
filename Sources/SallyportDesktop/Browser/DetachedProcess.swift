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

  #if canImport(Darwin)
    private typealias SpawnActions = posix_spawn_file_actions_t?
    private typealias SpawnAttributes = posix_spawnattr_t?
  #else
    private typealias SpawnActions = posix_spawn_file_actions_t
    private typealias SpawnAttributes = posix_spawnattr_t
  #endif

  /// A program that runs in its own session, without this program's terminal, files, and signal handlers.
  ///
  /// A dedicated thread waits for the program, so that it never becomes a zombie.
  final class DetachedProcess: Sendable {
    private enum State {
      case running
      case awaited(CheckedContinuation<String?, Never>)
      /// The program has ended. The value is the reason if it failed.
      case ended(String?)
    }

    private let state = Mutex(State.running)

    /// Starts the program, searching for it on `$PATH`.
    /// - Throws: ``SystemError`` if it cannot be started.
    init(_ arguments: [String]) throws(SystemError) {
      let process = try Self.spawn(arguments)
      OwnThread.start("browser") { self.end(Self.wait(for: process)) }
    }

    /// Why the program failed, or `nil` if it exited successfully or is still running after the given time.
    ///
    /// Call this once. It returns early if the task is canceled.
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

    /// Blocks until the process has exited.
    private static func wait(for process: pid_t) -> String? {
      var status: Int32 = 0
      // If the app ignores SIGCHLD, the exit status is not available.
      guard SystemError.retrying({ Int(waitpid(process, &status, 0)) }) == process else { return nil }
      let signal = status & 0x7F
      if signal != 0 { return "ended by signal \(signal)" }
      let code = (status >> 8) & 0xFF
      return code == 0 ? nil : "exit code \(code)"
    }

    private static func spawn(_ arguments: [String]) throws(SystemError) -> pid_t {
      #if canImport(Darwin)
        var actions: SpawnActions = nil
        var attributes: SpawnAttributes = nil
      #else
        var actions = SpawnActions()
        var attributes = SpawnAttributes()
      #endif
      posix_spawn_file_actions_init(&actions)
      posix_spawnattr_init(&attributes)
      defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
      }
      for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
      }
      Self.closeOthers(&actions)
      Self.resetSignals(&attributes)

      var words = arguments.map { strdup($0) } + [nil]
      defer { words.forEach { free($0) } }
      var process: pid_t = 0
      let code = posix_spawnp(&process, arguments[0], &actions, &attributes, &words, environ)
      guard code == 0 else { throw SystemError(code: code) }
      return process
    }

    /// Closes all other descriptors in the child, including those without close-on-exec. The function exists in glibc
    /// 2.34 and later. It is looked up at run time, because the header hides it from Swift.
    private static func closeOthers(_ actions: inout SpawnActions) {
      #if canImport(Glibc)
        typealias AddCloseFrom = @convention(c) (UnsafeMutablePointer<SpawnActions>, Int32) -> Int32
        let name = "posix_spawn_file_actions_addclosefrom_np"
        guard let add = try? SharedLibrary.thisProgram?.function(name, as: AddCloseFrom.self) else { return }
        _ = add(&actions, STDERR_FILENO + 1)
      #endif
    }

    /// Starts a new session, and resets the signal mask and all signal handlers.
    private static func resetSignals(_ attributes: inout SpawnAttributes) {
      var signals = sigset_t()
      sigemptyset(&signals)
      posix_spawnattr_setsigmask(&attributes, &signals)
      sigfillset(&signals)
      posix_spawnattr_setsigdefault(&attributes, &signals)
      #if canImport(Darwin)
        let setSession = POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT
      #else
        // POSIX_SPAWN_SETSID
        let setSession: Int32 = 0x80
      #endif
      posix_spawnattr_setflags(&attributes, Int16(setSession | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)))
    }
  }

  extension SystemError {
    var isNotFound: Bool { self.code == ENOENT || self.code == ENOTDIR }
  }
#endif
