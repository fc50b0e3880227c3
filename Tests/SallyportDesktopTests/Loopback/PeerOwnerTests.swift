import Glibc
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportDesktop

@Suite(.timeLimit(.minutes(3)))
struct PeerOwnerTests {
  /// Rows in the formats of `/proc/net/tcp` and `/proc/net/tcp6`, with addresses and ports in hexadecimal digits. In
  /// the column `st`, 0A is a listener, 01 an open connection, and 06 a closed connection, which no longer has a user.
  private static let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1234 1 0
       1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 1235 1 0
       2: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000   501        0 1236 1 0
       3: 0100007F:C002 0100007F:1F90 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0
       4: 0000000000000000FFFF00000100007F:C003 0000000000000000FFFF00000100007F:1F90 01 0:0 00:0 0   502 0 77 1
       5: 00000000000000000000000001000000:C004 00000000000000000000000001000000:1F90 01 0:0 00:0 0   503 0 78 1

    """

  @Test(
    "C-35: the row of the peer's socket is found, even with IPv4-mapped addresses, and a closed socket is recognized",
    arguments: [
      (SocketAddress.Family.ipv4, 0xC001, SocketTable.Row(user: 501, isOpen: true)),
      (.ipv4, 0xC002, SocketTable.Row(user: 0, isOpen: false)), (.ipv4, 0xC003, SocketTable.Row(user: 502, isOpen: true)),
      (.ipv6, 0xC004, SocketTable.Row(user: 503, isOpen: true)), (.ipv4, 0xC005, nil), (.ipv6, 0xC001, nil),
    ] as [(SocketAddress.Family, UInt16, SocketTable.Row?)])
  func rows(_ family: SocketAddress.Family, _ port: UInt16, _ row: SocketTable.Row?) {
    let found = SocketTable.row(
      in: Array(Self.table.utf8), local: .loopback(family, port: port), remote: .loopback(family, port: 0x1F90))
    #expect(found == row)
  }

  @Test("C-35: a valid response from another user's process is rejected, and the receiver keeps waiting")
  func otherUser() async throws {
    let issuer = try Issuer("https://issuer.example")
    var limits = ReceiverLimits.longTimeouts
    limits.lastPageTime = .zero
    try await LoopbackReceiver(redirectURI: nil, limits: limits).withRedirect(for: ServerConfiguration(issuer: issuer)) { bound in
      // Only root can start a process of another user.
      try #require(geteuid() == 0)
      let request = TestBrowser.request(bound.response).split(separator: "\r\n").joined(separator: "\\r\\n")
      let script = "exec 3<>/dev/tcp/127.0.0.1/\(bound.port); printf '\(request)\\r\\n\\r\\n' >&3; cat <&3"
      let other = try Probe(["setpriv", "--reuid=65534", "--clear-groups", "bash", "-c", script])
      async let received = bound.response(where: TestBrowser.accepts)
      #expect(await other.line() == "HTTP/1.1 403 Forbidden\r")

      async let page = TestBrowser.get(bound.response)
      await (try received).finish(.signedIn(appName: nil))
      #expect(await page.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test("C-35: a process of the same user is recognized, for both address families", arguments: SocketAddress.Family.allCases)
  func sameUser(_ family: SocketAddress.Family) async throws {
    let binding = try LoopbackBinding.bind([family], port: nil)
    let client = try #require(TestSocket(family, port: binding.port))
    let peer = try #require(SocketAddress { getsockname(client.descriptor, $0, $1) })
    #expect(PeerOwner.of(peer: peer, local: .loopback(family, port: binding.port)) == .sameUser)
    // No connection comes from port 1.
    #expect(PeerOwner.of(peer: .loopback(family, port: 1), local: .loopback(family, port: binding.port)) == .otherUser)
  }
}
