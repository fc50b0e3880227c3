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

  /// A terminal mode that doesn't echo input and accepts lines of any length, until ``restore()`` is called.
  ///
  /// In its default mode, a Linux terminal truncates lines after 4,095 bytes, but an authorization code can be longer.
  /// Ctrl-C and similar keys still work.
  struct QuietTerminal {
    private let descriptor: Int32
    private let originalMode: termios

    /// Returns `nil` if the descriptor is not a terminal.
    init?(_ descriptor: Int32) {
      var mode = termios()
      guard tcgetattr(descriptor, &mode) == 0 else { return nil }
      self.descriptor = descriptor
      self.originalMode = mode
      mode.c_lflag &= ~tcflag_t(ECHO | ICANON)
      Self.setMinimum(&mode)
      guard tcsetattr(descriptor, TCSANOW, &mode) == 0 else { return nil }
    }

    func restore() {
      var mode = self.originalMode
      tcsetattr(self.descriptor, TCSANOW, &mode)
    }

    /// Makes `read` wait for at least one byte, without a timeout.
    private static func setMinimum(_ mode: inout termios) {
      withUnsafeMutableBytes(of: &mode.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
      }
    }
  }
#endif
