import SallyportSystem

#if os(Windows)
  import WinSDK

  /// Socket functions that only Windows needs.
  enum WindowsSockets {
    /// Whether Winsock 2.2 could be initialized. The first access initializes it.
    static let areReady: Bool = {
      var data = WSAData()
      return WSAStartup(0x0202, &data) == 0
    }()

    /// Two connected datagram sockets on the loopback interface. The reader receives data only from the writer.
    static func pair() throws(SystemError) -> (reader: SOCKET, writer: SOCKET) {
      guard self.areReady else { throw SystemError() }
      let reader = try self.datagramSocket()
      let writer = try self.datagramSocket()
      try self.connect(reader, to: writer)
      try self.connect(writer, to: reader)
      return (reader.release(), writer.release())
    }

    private static func datagramSocket() throws(SystemError) -> OwnedDescriptor {
      guard let socket = OwnedDescriptor(socket(AF_INET, Int32(SOCK_DGRAM), 0)) else { throw SystemError() }
      Descriptors.prepare(socket.raw)
      let raw = socket.raw
      guard SocketAddress.loopback(.ipv4, port: 0).withSystemAddress({ bind(raw, $0, $1) }) == 0 else { throw SystemError() }
      return socket
    }

    private static func connect(_ one: borrowing OwnedDescriptor, to other: borrowing OwnedDescriptor) throws(SystemError) {
      let (from, to) = (one.raw, other.raw)
      guard let address = SocketAddress(reading: { getsockname(to, $0, $1) }),
        address.withSystemAddress({ WinSDK.connect(from, $0, $1) }) == 0
      else { throw SystemError() }
    }
  }
#endif
