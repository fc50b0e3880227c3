import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// Tells a thread that waits in `poll` to stop: a pair of sockets of which one is among what it polls.
final class StopSignal: Sendable {
  /// Becomes readable once ``raise()`` was called.
  let descriptor: Int32
  private let writer: Mutex<Int32?>

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError() }
    #else
      guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw SystemError() }
      ends.forEach(Descriptors.prepare)
    #endif
    self.descriptor = ends[0]
    self.writer = Mutex(ends[1])
  }

  deinit {
    self.raise()
    Descriptors.discard(self.descriptor)
  }

  /// May be called on any thread and more than once.
  func raise() {
    self.writer.withLock { writer in
      // The other one sees the end of the stream.
      if let descriptor = writer { Descriptors.discard(descriptor) }
      writer = nil
    }
  }
}
