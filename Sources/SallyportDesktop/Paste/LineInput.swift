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

  /// Reads lines from a terminal, a pipe, or a file. Each line is read on a separate thread. If the waiting task is
  /// canceled, the thread ends, and this instance cannot read any more input.
  final class LineInput: Sendable {
    private let descriptor: Int32
    private let stop: StopSignal
    private let isTerminal: Bool

    init(_ descriptor: Int32) throws(SystemError) {
      self.descriptor = descriptor
      self.stop = try StopSignal()
      self.isTerminal = isatty(descriptor) == 1
    }

    /// Waits for the next line, which `reader` may already contain.
    /// - Returns: The line, and the reader with the bytes that follow it.
    /// - Throws: `CancellationError` if the task is canceled, or ``SystemError``.
    func line(_ reader: LineReader) async throws -> (line: LineReader.Line, reader: LineReader) {
      try await withTaskCancellationHandler {
        try await DedicatedThread.result("paste") { [self] () throws(any Error) in
          var reader = reader
          while true {
            if let line = reader.next() { return (line, reader) }
            try self.fill(&reader)
          }
        }.get()
      } onCancel: {
        self.stop.raise()
      }
    }

    /// Blocks until data or the end of the input is available.
    private func fill(_ reader: inout LineReader) throws {
      guard let ready = systemPoll([self.descriptor, self.stop.descriptor], .read, timeout: -1) else { throw SystemError() }
      guard !ready.contains(self.stop.descriptor) else { throw CancellationError() }
      guard ready.contains(self.descriptor) else { return }
      var buffer = [UInt8](repeating: 0, count: 4 << 10)
      let length = SystemError.retrying { read(self.descriptor, &buffer, buffer.count) }
      switch length {
      case ..<0 where errno == EAGAIN: return
      // A terminal whose window or connection was closed reports EIO, which counts as the end of the input.
      case ..<0 where errno != EIO: throw SystemError()
      case ...0: reader.finish()
      default: reader.read(buffer[..<length], editing: self.isTerminal)
      }
    }
  }
#endif
