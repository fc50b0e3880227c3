import SallyportSystem

#if os(Windows)
  public import Sallyport

  /// Opens the user's default browser with `ShellExecuteW` (RFC 8252 Appendix B.3). The URL is passed as one argument,
  /// and not in the command line of a shell (rule C-25).
  public struct SystemBrowser: UserAgent {
    private typealias ShellExecute =
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?, UnsafePointer<UInt16>?,
        Int32
      ) -> Int
    private typealias InitializeCOM = @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Int32
    private typealias EndCOM = @convention(c) () -> Void

    private static let program = "ShellExecute"

    /// Creates a user agent that opens the user's default browser.
    public init() {}

    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      let text = url.value
      try await DedicatedThread.run("browser") { () throws(UserAgentError) in
        let code = try Self.execute(text)
        // shellapi.h: values above 32 mean success.
        guard code > 32 else { throw .failed(program: Self.program, reason: "code \(code)") }
      }
    }

    private static func execute(_ url: String) throws(UserAgentError) -> Int {
      guard let shell = SharedLibrary("shell32.dll"), let com = SharedLibrary("ole32.dll"),
        let execute = shell.function("ShellExecuteW", as: ShellExecute.self),
        let initialize = com.function("CoInitializeEx", as: InitializeCOM.self),
        let end = com.function("CoUninitialize", as: EndCOM.self)
      else { throw .noBrowser(tried: [self.program]) }
      // COINIT_APARTMENTTHREADED | COINIT_DISABLE_OLE1DDE: the handler of a scheme may be a COM object.
      let initialized = initialize(nil, 0x2 | 0x4)
      defer { if initialized >= 0 { end() } }
      // SW_SHOWNORMAL
      return execute(nil, WindowsText.nullTerminatedUTF16("open"), WindowsText.nullTerminatedUTF16(url), nil, nil, 1)
    }
  }

  extension UserAgent where Self == SystemBrowser {
    /// The user's default browser; see ``SystemBrowser``.
    public static var systemBrowser: SystemBrowser { SystemBrowser() }
  }
#endif
