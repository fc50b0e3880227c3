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

/// What can be shown on a terminal: a value that a test can make.
public struct Terminal: Sendable, Equatable {
  /// How many characters fit into a line; nil where the terminal does not tell, or where there is none.
  public var columns: Int?
  /// Whether characters beyond ASCII arrive, by the locale.
  public var isUTF8: Bool
  /// Whether colours are wanted and understood (`NO_COLOR`, `TERM`).
  public var hasColors: Bool

  public init(columns: Int?, isUTF8: Bool, hasColors: Bool) {
    self.columns = columns
    self.isUTF8 = isUTF8
    self.hasColors = hasColors
  }

  /// The terminal that standard error leads to; nil where it leads elsewhere.
  public static var standardError: Terminal? { Terminal(descriptor: 2, environment: .process) }

  /// nil where the descriptor is no terminal.
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
      // no-color.org: a variable that is there and not empty.
      hasColors: environment["NO_COLOR"] == nil && type != "dumb")
  }

  /// Whether one of the standard streams is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    #if os(Windows)
      // STD_INPUT_HANDLE is −10, and so on; only a console has a mode.
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
