import SallyportSystem

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

  /// A line that the user types on standard input.
  package enum TerminalLine {
    /// Waits for a line on a separate thread.
    ///
    /// Standard input should be a terminal, which provides one line at a time. If it is a pipe or a file, input after
    /// the line may be read too, and is then lost.
    /// - Returns: `nil` if the input ends, or if the line is longer than ``LineReader/maximumSize``.
    /// - Throws: `CancellationError` if the task is canceled, or ``SystemError``.
    package static func next() async throws -> String? {
      let input = try LineInput(STDIN_FILENO)
      guard case .text(let text) = try await input.line(LineReader()).line else { return nil }
      return text
    }
  }
#endif
