/// Collects the bytes of lines: bytes in, lines out, no I/O.
struct LineReader: Sendable {
  enum Line: Equatable, Sendable {
    case text(String)
    /// A line that was longer than any answer; none of it was kept.
    case tooLong
    /// The person said that nothing more comes (Ctrl-D on a terminal).
    case end
  }

  /// In bytes; what a callback may have at the most, and some room for what a terminal adds.
  static let maximumSize = 20 << 10

  private var bytes: [UInt8] = []
  private var isTooLong = false
  private var lines: [Line] = []

  /// The next whole line; nil where more bytes are needed.
  mutating func next() -> Line? {
    self.lines.isEmpty ? nil : self.lines.removeFirst()
  }

  /// Takes the next bytes.
  /// - Parameter editing: whether they come from keys, which also erase.
  mutating func read(_ more: some Collection<UInt8>, editing: Bool) {
    for byte in more {
      switch byte {
      case 0x0A, 0x0D: self.endLine()
      // Ctrl-D
      case 0x04 where editing && self.bytes.isEmpty: self.lines.append(.end)
      // Backspace, and Ctrl-U
      case 0x08 where editing, 0x7F where editing: _ = self.bytes.popLast()
      case 0x15 where editing: self.bytes = []
      default: self.append(byte)
      }
    }
  }

  /// Takes the end of the input: what stands before it is a line, too.
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

  private mutating func endLine() {
    self.lines.append(self.isTooLong ? .tooLong : .text(String(decoding: self.bytes, as: UTF8.self)))
    self.bytes = []
    self.isTooLong = false
  }
}
