import ArgumentParser
import FoundationEssentials
import Glibc
import SallyportProtocol
import SallyportSystem

/// The standard streams of the command: results on standard output, messages on standard error, and secrets on standard
/// input.
enum Console {
  /// Writes a message.
  static func printMessage(_ text: String) {
    StandardStream.error.write(text + "\n")
  }

  /// Writes a result.
  static func print(_ text: String) {
    StandardStream.output.write(text + "\n")
  }

  /// Writes a result as JSON.
  static func print(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    Self.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Checks that all results were written. A program that closes the pipe, such as `head`, doesn't need the rest, so
  /// the error has no message.
  static func checkOutput() throws {
    guard let error = StandardStream.outputError else { return }
    guard !error.isBrokenPipe else { throw ExitCode.failure }
    throw Failure("the output is incomplete, because standard output cannot be written: \(error)")
  }

  /// Whether standard input and standard error are connected to a terminal.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Reads a secret from the first line of standard input. At a terminal, shows a prompt and hides the input.
  /// - Parameter label: What the prompt asks for, such as `Password`.
  static func readSecret(_ label: String) throws(Failure) -> Secret<String> {
    guard Self.isTerminal else { return try Self.readSecretLine() }
    StandardStream.error.write("\(label): ")
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Failure("cannot read the settings of the terminal") }
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
      StandardStream.error.write("\n")
    }
    return try Self.readSecretLine()
  }

  private static func readSecretLine() throws(Failure) -> Secret<String> {
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      throw Failure("the first line of standard input is empty")
    }
    return Secret(line)
  }
}

/// An error of a command, with a message for the operator.
struct Failure: Error, Equatable {
  let message: String
  /// Whether the command keeps failing until the operator changes something, such as the data or its permissions, or
  /// uses another version of the program.
  let isPermanent: Bool

  init(_ message: String, isPermanent: Bool = false) {
    self.message = message
    self.isPermanent = isPermanent
  }

  /// After exit code 3, the systemd unit does not restart the server (`RestartPreventExitStatus`).
  var exitCode: Int32 { self.isPermanent ? 3 : 1 }
}
