/// How a child process ended.
package enum ExitStatus: Equatable, Sendable {
  /// The process exited with this exit code.
  case exited(Int32)
  /// A signal with this number ended the process.
  case signaled(Int32)

  /// Creates a value from the status word of `waitpid`. Its lowest seven bits are the number of the signal, or 0 if the
  /// process exited. Bits 8 to 15 are the exit code.
  init(word: Int32) {
    let signal = word & 0x7f
    self = signal == 0 ? .exited((word >> 8) & 0xff) : .signaled(signal)
  }
}
