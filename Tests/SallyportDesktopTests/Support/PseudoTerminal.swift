import Glibc
import Testing

@testable import SallyportDesktop

/// A terminal whose keyboard and screen a test controls.
final class PseudoTerminal: Sendable {
  /// The descriptor of the terminal for the program under test.
  let descriptor: Int32
  private let master: Int32

  init() throws {
    // posix_openpt and related functions are unavailable in Swift, so this code makes the same ioctl requests
    // (ioctl_tty(2)): TIOCSPTLCK unlocks the terminal, and TIOCGPTN returns its number.
    let (unlock, getNumber) = (0x4004_5431 as UInt, 0x8004_5430 as UInt)
    self.master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, number): (Int32, UInt32) = (0, 0)
    try #require(ioctl(self.master, unlock, &locked) == 0 && ioctl(self.master, getNumber, &number) == 0)
    self.descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(self.descriptor >= 0)
  }

  deinit {
    close(self.descriptor)
    close(self.master)
  }

  /// Types the text as fast as the terminal accepts it.
  func type(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(self.master, $0.baseAddress, min($0.count, 1024)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns the text that has appeared on the screen since the last call, without waiting for more.
  func shown() -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while systemPoll([self.master], .read, timeout: 0)?.isEmpty == false {
      let count = read(self.master, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether the terminal echoes input, and whether it is in line mode.
  var mode: (echoes: Bool, isLineMode: Bool) {
    var mode = termios()
    tcgetattr(self.descriptor, &mode)
    return (mode.c_lflag & tcflag_t(ECHO) != 0, mode.c_lflag & tcflag_t(ICANON) != 0)
  }
}
