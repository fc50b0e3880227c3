#if os(Windows)
  import WinSDK
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// The display capabilities of a terminal.
public struct Terminal: Sendable, Equatable {
  /// The number of columns, or `nil` if it is unknown.
  public var columns: Int?
  /// Whether the terminal shows characters other than ASCII: the locale's encoding is UTF-8, and `TERM` is set and not
  /// `dumb`.
  public var isUTF8: Bool
  /// Whether colors are supported and not disabled (`NO_COLOR`, `TERM`).
  public var hasColors: Bool

  /// Creates a description of a terminal. The properties with the same names describe the parameters.
  public init(columns: Int?, isUTF8: Bool, hasColors: Bool) {
    self.columns = columns
    self.isUTF8 = isUTF8
    self.hasColors = hasColors
  }

  /// The terminal that standard error is connected to, or `nil` if it isn't a terminal.
  public static var standardError: Terminal? { Terminal(descriptor: 2, environment: .process) }

  /// Returns `nil` if the descriptor is not a terminal.
  package init?(descriptor: Int32, environment: Environment) {
    guard Self.isTerminal(descriptor) else { return nil }
    self.init(columns: Self.columns(descriptor), environment: environment)
  }

  package init(columns: Int?, environment: Environment) {
    let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
    let encoding = locale.lowercased().filter { $0 != "-" }
    let type = environment["TERM"] ?? "dumb"
    self.init(
      columns: columns, isUTF8: encoding.contains("utf8") && type != "dumb",
      // no-color.org: `NO_COLOR` disables colors unless it is empty. `environment` returns nil for an empty value.
      hasColors: environment["NO_COLOR"] == nil && type != "dumb")
  }

  /// Whether a standard stream is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    #if os(Windows)
      // STD_INPUT_HANDLE is −10, STD_OUTPUT_HANDLE is −11, and so on. Only a console has a mode.
      var mode: DWORD = 0
      return GetConsoleMode(GetStdHandle(DWORD(bitPattern: -10 - descriptor)), &mode)
    #else
      isatty(descriptor) == 1
    #endif
  }

  private static func columns(_ descriptor: Int32) -> Int? {
    #if os(Windows)
      nil
    #else
      var size = winsize()
      guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
      return Int(size.ws_col)
    #endif
  }
}
