#if !os(Windows) && !os(Android)
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// A stream that a program writes to.
  package enum StandardStream: Sendable {
    case output
    case error

    private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

    /// Writes the text in UTF-8. If a write fails, the rest is lost without an error.
    package func write(_ text: String) {
      self.write(Array(text.utf8))
    }

    /// The error of the first write to standard output that failed, or `nil` if none failed. Before a program exits, it
    /// must check this value, so that its exit code shows that the output is incomplete.
    package static var outputError: SystemError? { self.firstOutputError.withLock { $0 } }
    private static let firstOutputError = Mutex<SystemError?>(nil)

    /// Writes all bytes. If a write fails, for example because the stream is closed, the rest is lost. On standard
    /// output, the error is recorded as ``outputError``.
    package func write(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let writtenCount = rest.withUnsafeBytes { buffer in
          SystemError.retrying { systemWrite(self.descriptor, buffer.baseAddress, buffer.count) }
        }
        guard writtenCount > 0 else {
          let error = SystemError()
          if self == .output { Self.firstOutputError.withLock { $0 = $0 ?? error } }
          return
        }
        rest = rest.dropFirst(writtenCount)
      }
    }
  }

  /// `write(2)`, with a name that isn't hidden by the methods of ``StandardStream``.
  private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
  }
#endif
