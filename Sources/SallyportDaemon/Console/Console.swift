import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the command says: results on standard output, talk on standard error.
enum Console {
  /// One line of talk.
  static func say(_ text: String) {
    Self.write(text + "\n", to: STDERR_FILENO)
  }

  /// A result.
  static func print(_ text: String) {
    Self.write(text + "\n", to: STDOUT_FILENO)
  }

  /// A result as JSON.
  static func print(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    Self.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Whether a person sits at the terminal.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// A password: the first line of standard input. At a terminal it is asked for, and not shown while it is typed.
  static func readPassword() throws(Failure) -> Secret<String> {
    guard Self.isTerminal else { return try Self.readSecretLine() }
    Self.write("Password: ", to: STDERR_FILENO)
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Failure("the terminal does not answer") }
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
      Self.write("\n", to: STDERR_FILENO)
    }
    return try Self.readSecretLine()
  }

  private static func readSecretLine() throws(Failure) -> Secret<String> {
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      throw Failure("no password was given on standard input")
    }
    return Secret(line)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }
}

/// Why a command failed, in words for the operator.
struct Failure: Error, Equatable {
  let message: String
  /// Whether the data have to be mended by hand: the same command fails the same way until then.
  let isLasting: Bool

  init(_ message: String, isLasting: Bool = false) {
    self.message = message
    self.isLasting = isLasting
  }

  var exitCode: Int32 { self.isLasting ? 3 : 1 }
}
