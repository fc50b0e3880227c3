import FoundationEssentials
import Glibc
import SallyportProtocol

/// The output of the command: results on standard output, messages on standard error.
enum Console {
  /// Writes a message.
  static func printMessage(_ text: String) {
    Self.write(text + "\n", to: STDERR_FILENO)
  }

  /// Writes a result.
  static func print(_ text: String) {
    Self.write(text + "\n", to: STDOUT_FILENO)
  }

  /// Writes a result as JSON.
  static func print(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    Self.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Whether standard input and standard error are connected to a terminal.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Reads a password from the first line of standard input. At a terminal, it shows a prompt and hides the input.
  static func readPassword() throws(Failure) -> Secret<String> {
    guard Self.isTerminal else { return try Self.readSecretLine() }
    Self.write("Password: ", to: STDERR_FILENO)
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Failure("cannot read the settings of the terminal") }
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
      throw Failure("the first line of standard input is empty")
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

/// An error of a command, with a message for the operator.
struct Failure: Error, Equatable {
  let message: String
  /// Whether the command keeps failing until the operator repairs the data.
  let isPermanent: Bool

  init(_ message: String, isPermanent: Bool = false) {
    self.message = message
    self.isPermanent = isPermanent
  }

  var exitCode: Int32 { self.isPermanent ? 3 : 1 }
}
