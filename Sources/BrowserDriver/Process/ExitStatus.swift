/// How a child process ended.
package enum ExitStatus: Equatable, Sendable {
  case exited(Int32)
  case signaled(Int32)

  /// Creates a value from the status word of `waitpid`.
  init(word: Int32) {
    let signal = word & 0x7f
    self = signal == 0 ? .exited((word >> 8) & 0xff) : .signaled(signal)
  }
}
