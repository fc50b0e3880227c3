#if os(Windows)
  import WinSDK
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif
import SallyportSystem
import Synchronization

/// Stops a thread that waits in `poll`. The signal is a pair of connected sockets: the thread polls ``descriptor``
/// together with its own descriptors, and ``raise()`` closes the second socket (on Windows, after sending a byte).
final class StopSignal: Sendable {
  /// Becomes readable after ``raise()`` has been called.
  let descriptor: SocketHandle
  private let writer: Mutex<SocketHandle?>

  init() throws(SystemError) {
    let (reader, writer) = try Self.pair()
    self.descriptor = reader
    self.writer = Mutex(writer)
  }

  deinit {
    self.raise()
    Descriptors.discard(self.descriptor)
  }

  /// Sends the signal. Can be called on any thread and repeatedly.
  func raise() {
    self.writer.withLock { writer in
      guard let descriptor = writer else { return }
      writer = nil
      #if os(Windows)
        _ = withUnsafeBytes(of: UInt8(0)) { systemSend(descriptor, $0) }
      #endif
      // Closing this socket makes `self.descriptor` readable. On Windows, the byte above does.
      Descriptors.discard(descriptor)
    }
  }

  private static func pair() throws(SystemError) -> (SocketHandle, SocketHandle) {
    #if os(Windows)
      try WindowsSockets.pair()
    #else
      var ends: [Int32] = [-1, -1]
      #if os(Linux)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError() }
      #else
        guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw SystemError() }
        ends.forEach(Descriptors.prepare)
      #endif
      return (ends[0], ends[1])
    #endif
  }
}
