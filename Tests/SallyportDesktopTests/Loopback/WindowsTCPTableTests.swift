import Testing

@testable import SallyportDesktop

/// Tests the parser of Windows' tables of TCP connections. The parser calls no Windows function, so these tests run on
/// every platform.
@Suite("The table of TCP connections of Windows")
struct WindowsTCPTableTests {
  @Test("C-35: the process of a connection is found only if both addresses and both ports match")
  func ipv4() {
    let table =
      Self.word(3)
      + Self.row4([127, 0, 0, 1], 50001, [127, 0, 0, 1], 50000, process: 11)
      + Self.row4([127, 0, 0, 1], 50000, [127, 0, 0, 1], 50001, process: 22)
      + Self.row4([127, 0, 0, 1], 50002, [127, 0, 0, 2], 50000, process: 33)
    let (peer, local) = (SocketAddress.loopback(.ipv4, port: 50001), SocketAddress.loopback(.ipv4, port: 50000))
    #expect(WindowsTCPTable.process(in: table, local: peer, remote: local) == 11)
    #expect(WindowsTCPTable.process(in: table, local: local, remote: peer) == 22)
    #expect(WindowsTCPTable.process(in: table, local: .loopback(.ipv4, port: 50002), remote: local) == nil)
    #expect(WindowsTCPTable.process(in: table, local: .loopback(.ipv6, port: 50001), remote: local) == nil)
    // A truncated table contains fewer rows than its first number says. The first row ends after 28 bytes.
    for count in 0..<28 { #expect(WindowsTCPTable.process(in: Array(table[..<count]), local: peer, remote: local) == nil) }
    #expect(WindowsTCPTable.process(in: Array(table[..<28]), local: peer, remote: local) == 11)
  }

  @Test("C-35: the process of an IPv6 connection is found, although its row also contains scope IDs")
  func ipv6() {
    let loopback = [UInt8](repeating: 0, count: 15) + [1]
    let row =
      loopback + Self.word(0) + Self.port(50001) + loopback + Self.word(0) + Self.port(50000) + Self.word(5) + Self.word(44)
    let (peer, local) = (SocketAddress.loopback(.ipv6, port: 50001), SocketAddress.loopback(.ipv6, port: 50000))
    #expect(WindowsTCPTable.process(in: Self.word(1) + row, local: peer, remote: local) == 44)
    #expect(WindowsTCPTable.process(in: Self.word(1) + row, local: local, remote: peer) == nil)
  }

  /// The bytes of a row for an IPv4 connection (`MIB_TCPROW_OWNER_PID`). The first number, 5, means that the connection
  /// is established.
  private static func row4(
    _ local: [UInt8], _ localPort: UInt16, _ remote: [UInt8], _ remotePort: UInt16, process: UInt32
  ) -> [UInt8] {
    self.word(5) + local + self.port(localPort) + remote + self.port(remotePort) + self.word(process)
  }

  private static func port(_ port: UInt16) -> [UInt8] { [UInt8(port >> 8), UInt8(port & 0xFF), 0, 0] }

  private static func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}
