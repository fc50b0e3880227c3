import Testing
import WinSDK

@testable import SallyportDesktop

/// Runs on Linux, with the simulated Winsock in `Tests/Platforms/Stubs`.
struct ExclusivePortTests {
  // winsock2.h: #define SO_EXCLUSIVEADDRUSE ((int)(~SO_REUSEADDR)). SO_REUSEADDR is 4.
  private static let exclusive: Int32 = -5

  @Test(
    "C-15: SO_EXCLUSIVEADDRUSE is set before a port is bound, and no option lets another process share the port",
    arguments: SocketAddress.Family.allCases)
  func exclusive(family: SocketAddress.Family) throws {
    let socket = try ListenerSocket.open(.loopback(family, port: 49152))
    let raw = socket.raw
    let calls = Winsock.calls.filter { call in
      switch call {
      case .option(let socket, _, _, _), .bind(let socket): socket == raw
      }
    }
    let option = Winsock.Call.option(raw, level: SOL_SOCKET, Self.exclusive, value: 1)
    // 41 is IPPROTO_IPV6.
    let others: [Winsock.Call] = family == .ipv6 ? [.option(raw, level: 41, IPV6_V6ONLY, value: 1)] : []
    #expect(calls == [option] + others + [.bind(raw)])
  }
}
