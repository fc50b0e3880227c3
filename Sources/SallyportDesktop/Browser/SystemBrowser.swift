#if !os(Windows)
  public import Sallyport

  /// Opens the person's own browser (RFC 8252 §6 and Appendix B.5): the program that was named, else `$BROWSER`, else `xdg-open`
  /// (on macOS `open`).
  ///
  /// The URL is one argument of the program and no shell sees it (rule C-25). The program runs in a session of its own, so that
  /// Ctrl-C in the terminal does not end it, with nothing on its standard streams, and is never waited for: ``open(_:)`` watches
  /// it for half a second, for a program that fails at once, and returns.
  public struct SystemBrowser: UserAgent {
    private let command: BrowserCommand?
    private let environment: Environment
    private let watch: Duration

    /// The person's default browser.
    public init() {
      self.init(command: nil, environment: .process)
    }

    /// A browser named by the person.
    /// - Parameter command: a program and its arguments, split like words and run without a shell. Where it fails nothing else
    ///   is tried.
    /// - Throws: ``BrowserCommandError``
    public init(command: String) throws(BrowserCommandError) {
      self.init(command: try BrowserCommand(command), environment: .process)
    }

    package init(command: String?, environment: Environment, watch: Duration) throws(BrowserCommandError) {
      var parsed: BrowserCommand?
      if let command { parsed = try BrowserCommand(command) }
      self.init(command: parsed, environment: environment, watch: watch)
    }

    private init(command: BrowserCommand?, environment: Environment, watch: Duration = .milliseconds(500)) {
      self.command = command
      self.environment = environment
      self.watch = watch
    }

    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      if let command {
        try await Self.start(command.arguments(opening: url.value), watch: self.watch)
        return
      }
      var failure: UserAgentError?
      var tried: [String] = []
      for arguments in self.defaults(opening: url.value) {
        do {
          return try await Self.start(arguments, watch: self.watch)
        } catch {
          if case .failed = error { failure = error }
          tried.append(arguments[0])
        }
      }
      throw failure ?? .noBrowser(tried: tried)
    }

    /// The argument vectors to try, in their order.
    private func defaults(opening url: String) -> [[String]] {
      let named = (self.environment["BROWSER"] ?? "").split(separator: ":").compactMap { try? BrowserCommand(String($0)) }
      #if os(macOS)
        let opener = BrowserCommand(program: "/usr/bin/open")
      #else
        let opener = BrowserCommand(program: "xdg-open")
      #endif
      let windows = Surroundings.isWSL(self.environment, .machine) ? WindowsBrowser.commands(opening: url) : []
      return named.map { $0.argumentsByConvention(opening: url) } + windows + [opener.arguments(opening: url)]
    }

    private static func start(_ arguments: [String], watch: Duration) async throws(UserAgentError) {
      let program = arguments[0]
      do {
        let process = try DetachedProcess(arguments)
        guard let reason = await process.failure(within: watch) else { return }
        throw UserAgentError.failed(program: program, reason: reason)
      } catch let error as UserAgentError {
        throw error
      } catch let error as SystemError where error.isNotFound {
        throw .noBrowser(tried: [program])
      } catch {
        throw .failed(program: program, reason: "\(error)")
      }
    }
  }

  extension UserAgent where Self == SystemBrowser {
    /// The person's default browser; see ``SystemBrowser``.
    public static var automatic: SystemBrowser { SystemBrowser() }
  }
#endif
