import Glibc
import Testing

@testable import SallyportDesktop

@Suite("One connection to the receiver", .timeLimit(.minutes(1)))
struct LoopbackConnectionTests {
  @Test("a client that keeps sending after its request was rejected is disconnected after about 64 KiB")
  func discardLimit() throws {
    let binding = try LoopbackBinding.bind([.ipv4], port: nil)
    let listener = try #require(binding.take()?.first)
    defer { close(listener) }
    let client = try #require(TestSocket(port: binding.port))
    #expect(waitUntilReady(listener, .read, deadline: .now + .seconds(30)))
    let accepted = try #require(LoopbackConnection.accept(from: listener))
    defer { close(accepted.descriptor) }
    // The deadline is an hour, so only the limit can end the connection.
    var connection = LoopbackConnection(
      descriptor: accepted.descriptor, peer: try #require(accepted.peer), deadline: .now + .seconds(3600))
    client.send("garbage\r\n\r\n")
    var sent = 0
    var isClosed = false
    while !isClosed, sent < 1 << 20 {
      client.send([UInt8](repeating: 0x61, count: 1 << 10))
      sent += 1 << 10
      #expect(waitUntilReady(accepted.descriptor, .read, deadline: .now + .seconds(30)))
      if case .closed = connection.step() { isClosed = true }
    }
    #expect(connection.isRejected)
    #expect(isClosed)
    #expect((64...72).contains(sent >> 10))
  }
}
