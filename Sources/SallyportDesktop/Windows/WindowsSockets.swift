import SallyportSystem

#if os(Windows)
  import WinSDK

  /// Socket functions that only Windows needs.
  enum WindowsSockets {
    /// The result of initializing Winsock 2.2: 0, or an error code, which `WSAStartup` returns instead of setting the
    /// thread's last error. The first access initializes Winsock.
    private static let startupResult: Int32 = {
      var data = WSAData()
      return WSAStartup(0x0202, &data)
    }()

    /// Initializes Winsock if that has not been done yet.
    static func start() throws(SystemError) {
      guard self.startupResult == 0 else { throw SystemError(code: self.startupResult) }
    }

    /// Two connected datagram sockets on the loopback interface, because Windows has no `socketpair`. The reader
    /// receives data only from the writer.
    static func pair() throws(SystemError) -> (reader: SOCKET, writer: SOCKET) {
      try self.start()
      let reader = try self.datagramSocket()
      let writer = try self.datagramSocket()
      try self.connect(reader, to: writer)
      try self.connect(writer, to: reader)
      self.discardReceived(by: reader)
      return (reader.release(), writer.release())
    }

    private static func datagramSocket() throws(SystemError) -> OwnedDescriptor {
      guard let descriptor = OwnedDescriptor(socket(AF_INET, Int32(SOCK_DGRAM), 0)) else { throw SystemError() }
      Descriptors.prepare(descriptor.raw)
      let raw = descriptor.raw
      guard SocketAddress.loopback(.ipv4, port: 0).withSystemAddress({ bind(raw, $0, $1) }) == 0 else { throw SystemError() }
      return descriptor
    }

    /// Discards what other processes sent to the socket after it was bound and before it was connected. The system
    /// rejects what they send later.
    private static func discardReceived(by socket: borrowing OwnedDescriptor) {
      var buffer = [UInt8](repeating: 0, count: 1)
      // A datagram is also discarded if it is longer than the buffer, although the call then fails.
      while systemPoll([socket.raw], .read, timeout: 0)?.isEmpty == false { _ = systemReceive(socket.raw, &buffer) }
    }

    private static func connect(_ one: borrowing OwnedDescriptor, to other: borrowing OwnedDescriptor) throws(SystemError) {
      let (from, to) = (one.raw, other.raw)
      guard let address = SocketAddress(reading: { getsockname(to, $0, $1) }),
        address.withSystemAddress({ WinSDK.connect(from, $0, $1) }) == 0
      else { throw SystemError() }
    }
  }
#endif
