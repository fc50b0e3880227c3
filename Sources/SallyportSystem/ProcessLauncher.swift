#if !os(Windows)
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

  /// Starts a program in its own session and process group, without this program's controlling terminal, signal mask,
  /// or signal handlers. If the system supports it, the program gets no open file of this program besides the three
  /// standard streams.
  package struct ProcessLauncher: Sendable {
    /// What a standard stream of the program is connected to.
    package enum Stream: Sendable {
      case null
      /// This program's own stream.
      case inherited
      case reading(path: String)
      /// A file that is overwritten, or created with mode 0600.
      case writing(path: String)
      /// An open descriptor of this program.
      case descriptor(Int32)
    }

    /// The program, which is searched for on `$PATH` if it contains no slash, and its arguments.
    package var arguments: [String]
    /// The program's environment, or `nil` for this program's environment.
    package var environment: [String: String]?
    package var input: Stream
    package var output: Stream
    package var error: Stream

    package init(
      _ arguments: [String], environment: [String: String]? = nil, input: Stream = .null, output: Stream = .null,
      error: Stream = .null
    ) {
      self.arguments = arguments
      self.environment = environment
      self.input = input
      self.output = output
      self.error = error
    }

    /// Starts the program.
    /// - Returns: The identifier of the process, which is also the identifier of its process group. The caller must
    ///   wait for the process.
    package func launch() throws(SystemError) -> Int32 {
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
      Self.connect(STDIN_FILENO, to: self.input, &actions)
      Self.connect(STDOUT_FILENO, to: self.output, &actions)
      Self.connect(STDERR_FILENO, to: self.error, &actions)
      Self.closeOtherDescriptors(&actions)
      Self.setSessionAndSignals(&attributes)

      var process: pid_t = 0
      let code = withCStrings(self.arguments) { words in
        guard let environment = self.environment else {
          return posix_spawnp(&process, self.arguments[0], &actions, &attributes, words, environ)
        }
        return withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
          posix_spawnp(&process, self.arguments[0], &actions, &attributes, words, variables)
        }
      }
      guard code == 0 else { throw SystemError(code: code) }
      return process
    }

    private static func connect(_ descriptor: Int32, to stream: Stream, _ actions: inout SpawnActions) {
      switch stream {
      case .null: posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      case .inherited: break
      case .reading(let path): posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDONLY, 0)
      case .writing(let path):
        posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      case .descriptor(let source): posix_spawn_file_actions_adddup2(&actions, source, descriptor)
      }
    }

    /// Closes all descriptors except the standard streams in the child, including those without close-on-exec.
    ///
    /// `posix_spawn_file_actions_addclosefrom_np` exists in glibc 2.34 and later. The function is looked up at run
    /// time, because the header hides it from Swift. Without this function, the child inherits descriptors without
    /// close-on-exec, except on Apple platforms, where `POSIX_SPAWN_CLOEXEC_DEFAULT` closes them.
    private static func closeOtherDescriptors(_ actions: inout SpawnActions) {
      #if canImport(Glibc)
        typealias AddCloseFrom = @convention(c) (UnsafeMutablePointer<SpawnActions>, Int32) -> Int32
        let name = "posix_spawn_file_actions_addclosefrom_np"
        guard let add = SharedLibrary.thisProgram?.function(name, as: AddCloseFrom.self) else { return }
        _ = add(&actions, STDERR_FILENO + 1)
      #endif
    }

    /// Starts a new session, and resets the signal mask and all signal handlers.
    private static func setSessionAndSignals(_ attributes: inout SpawnAttributes) {
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

  /// Passes the texts as a null-terminated array of C strings.
  private func withCStrings<R>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
#endif
