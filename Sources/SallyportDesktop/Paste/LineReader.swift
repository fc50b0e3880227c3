/// Splits bytes into lines. It performs no I/O.
struct LineReader: Sendable {
  enum Line: Equatable, Sendable {
    case text(String)
    /// The line was longer than ``maximumSize``. Its content was discarded.
    case tooLong
    /// The end of the input (Ctrl-D in a terminal).
    case end
  }

  /// The maximum length of a line in bytes: 16 KiB for a callback URL, and 4 KiB for surrounding text that
  /// ``PastedText`` removes.
  static let maximumSize = 20 << 10

  private var bytes: [UInt8] = []
  private var isTooLong = false
  private var lines: [Line] = []

  /// Returns the next complete line, or `nil` if more bytes are needed.
  mutating func next() -> Line? {
    self.lines.isEmpty ? nil : self.lines.removeFirst()
  }

  /// Processes the next bytes.
  /// - Parameter editing: Whether the bytes are keystrokes, which include editing keys.
  mutating func read(_ more: some Collection<UInt8>, editing: Bool) {
    for byte in more {
      switch byte {
      case 0x0A, 0x0D: self.endLine()
      // Ctrl-D
      case 0x04 where editing && self.bytes.isEmpty: self.lines.append(.end)
      // Backspace, and Ctrl-U
      case 0x08 where editing, 0x7F where editing: self.removeLastCharacter()
      case 0x15 where editing: (self.bytes, self.isTooLong) = ([], false)
      default: self.append(byte)
      }
    }
  }

  /// Marks the end of the input. The remaining bytes form the last line.
  mutating func finish() {
    if !self.bytes.isEmpty || self.isTooLong { self.endLine() }
    self.lines.append(.end)
  }

  private mutating func append(_ byte: UInt8) {
    if self.bytes.count >= Self.maximumSize {
      self.isTooLong = true
    } else {
      self.bytes.append(byte)
    }
  }

  /// Removes the last Unicode scalar, which has several bytes if it is not ASCII.
  private mutating func removeLastCharacter() {
    // Bytes of the form 10xxxxxx continue a scalar. The first other byte begins it, and ends the loop.
    while let byte = self.bytes.popLast(), byte & 0xC0 == 0x80 {}
  }

  private mutating func endLine() {
    self.lines.append(self.isTooLong ? .tooLong : .text(String(decoding: self.bytes, as: UTF8.self)))
    self.bytes = []
    self.isTooLong = false
  }
}
