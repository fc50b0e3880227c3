import SallyportSystem

#if !os(Windows)
  public import Sallyport

  /// Opens the user's browser (RFC 8252 §6 and Appendix B.5) with a given program, or with the first of these that
  /// works: the programs in `$BROWSER`, the Windows browser on WSL, and `xdg-open` (`open` on macOS).
  ///
  /// The URL is passed as one argument without a shell (rule C-25). The program's standard streams are `/dev/null`. The
  /// program runs in its own session, so that Ctrl-C in the terminal doesn't end it. ``open(_:)`` watches the program
  /// for half a second to detect an immediate failure, and then returns.
  public struct SystemBrowser: UserAgent {
    private let command: BrowserCommand?
    private let environment: Environment
    /// How long ``open(_:)`` watches the program.
    private let watch: Duration

    /// Creates a user agent that opens the user's default browser.
    public init() {
      self.init(command: nil, environment: .process)
    }

    /// Creates a user agent that opens the given browser.
    /// - Parameter command: A program and its arguments, split into words and run without a shell. If it fails, no
    ///   other browser is tried.
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
      for arguments in self.defaultCommands(opening: url.value) {
        do {
          return try await Self.start(arguments, watch: self.watch)
        } catch {
          // If any program was found but failed, report this failure and not that there is no browser.
          if case .failed = error { failure = error }
          tried.append(arguments[0])
        }
      }
      throw failure ?? .noBrowser(tried: tried)
    }

    /// The argument vectors to try, in order.
    private func defaultCommands(opening url: String) -> [[String]] {
      let preferred = (self.environment["BROWSER"] ?? "").split(separator: ":").compactMap { try? BrowserCommand(String($0)) }
      #if os(macOS)
        let opener = BrowserCommand(program: "/usr/bin/open")
      #else
        let opener = BrowserCommand(program: "xdg-open")
      #endif
      let windows = self.environment.isWSL(.machine) ? WindowsBrowser.commands(opening: url) : []
      return preferred.map { $0.argumentsByConvention(opening: url) } + windows + [opener.arguments(opening: url)]
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
    /// The user's default browser; see ``SystemBrowser``.
    ///
    /// On macOS, an app with a window should use the system's authentication session instead, with the browser as the
    /// fallback: `[RedirectOption].automatic(receiver:cookies:anchor:)` (RFC 8252 §6 and Appendix B.4).
    public static var systemBrowser: SystemBrowser { SystemBrowser() }
  }
#endif
