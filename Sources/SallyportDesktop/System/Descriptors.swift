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

#if os(Windows)
  typealias SocketHandle = SOCKET
#else
  /// The system's socket handle, which is a file descriptor on all systems except Windows.
  typealias SocketHandle = Int32
#endif

/// Operations on raw descriptors.
enum Descriptors {
  static func isValid(_ descriptor: SocketHandle) -> Bool {
    #if os(Windows)
      // INVALID_SOCKET
      descriptor != ~0
    #else
      descriptor >= 0
    #endif
  }

  /// Makes the descriptor nonblocking, and prevents child processes from inheriting it. On Apple platforms, also
  /// disables SIGPIPE for it.
  static func prepare(_ descriptor: SocketHandle) {
    #if os(Windows)
      var on: u_long = 1
      // FIONBIO
      ioctlsocket(descriptor, Int32(bitPattern: 0x8004_667E), &on)
      // HANDLE_FLAG_INHERIT
      _ = SetHandleInformation(HANDLE(bitPattern: UInt(descriptor)), 1, 0)
    #else
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    #endif
    #if canImport(Darwin)
      var on: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Closes a descriptor. An ``OwnedDescriptor`` calls this itself when it is destroyed.
  static func discard(_ descriptor: SocketHandle) {
    #if os(Windows)
      closesocket(descriptor)
    #else
      close(descriptor)
    #endif
  }

  /// Closes a socket with a reset. A port whose connections are closed in this way can be bound again at once. After
  /// ``discard(_:)``, the port of the side that closes the connection first stays in the TIME_WAIT state, in which it
  /// cannot be bound. The peer may lose data that it has not read.
  static func reset(_ socket: SocketHandle) {
    var option = linger(l_onoff: 1, l_linger: 0)
    let length = MemoryLayout.size(ofValue: option)
    withUnsafeBytes(of: &option) { bytes in
      #if os(Windows)
        _ = setsockopt(
          socket, SOL_SOCKET, SO_LINGER, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(length))
      #else
        _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, bytes.baseAddress, socklen_t(length))
      #endif
    }
    self.discard(socket)
  }
}
