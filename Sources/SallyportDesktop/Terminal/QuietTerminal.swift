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

  /// A terminal that does not show what is typed and takes lines of any length, until it is put back.
  ///
  /// In its usual mode a Linux terminal cuts a line after 4,095 bytes, and an authorization code has no limit. Ctrl-C and its
  /// relatives work as ever.
  struct QuietTerminal {
    private let descriptor: Int32
    private let before: termios

    /// Nil where the descriptor is no terminal.
    init?(_ descriptor: Int32) {
      var mode = termios()
      guard tcgetattr(descriptor, &mode) == 0 else { return nil }
      self.descriptor = descriptor
      self.before = mode
      mode.c_lflag &= ~tcflag_t(ECHO | ICANON)
      Self.setMinimum(&mode)
      guard tcsetattr(descriptor, TCSANOW, &mode) == 0 else { return nil }
    }

    func restore() {
      var mode = self.before
      tcsetattr(self.descriptor, TCSANOW, &mode)
    }

    /// `read` waits for one byte, and for no time.
    private static func setMinimum(_ mode: inout termios) {
      withUnsafeMutableBytes(of: &mode.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
      }
    }
  }
#endif
