import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import SallyportHTTPServer

@Suite("Warnings about connection limits")
struct ConnectionWarningTests {
  private let log = CapturedLog()

  /// The messages in the log, without their metadata.
  private var messages: [String] {
    self.log.lines.map { line in line.firstRange(of: " limit=").map { String(line[..<$0.lowerBound]) } ?? line }
  }

  /// Opens a connection.
  /// - Parameter host: The last number of its address.
  /// - Returns: The channel, which is nil if the connection was not accepted.
  @discardableResult
  private func connect(_ connections: Connections, from host: Int, at now: NIODeadline) throws -> EmbeddedChannel? {
    let channel = EmbeddedChannel()
    channel.remoteAddress = try SocketAddress(ipAddress: "203.0.113.\(host)", port: 40_000)
    return connections.add(channel, logger: self.log.logger, at: now) == nil ? nil : channel
  }

  @Test("an address that opens and closes connections causes at most one warning per minute and limit")
  func interval() throws {
    var limits = ConnectionLimits()
    limits.perAddress = 2
    let (connections, start) = (Connections(limits: limits), NIODeadline.uptimeNanoseconds(1))
    for _ in 0..<2 { try self.connect(connections, from: 1, at: start) }
    for _ in 0..<50 {
      let excess = try #require(try self.connect(connections, from: 1, at: start))
      try excess.close().wait()
      excess.embeddedEventLoop.run()
    }
    #expect(self.messages == ["warning connection limit of an address reached, responding with 503"])
    // These connections stay open. The server accepts two of them to respond with 503, and closes the others without a
    // response, which is a second limit with its own warning.
    for _ in 0..<9 { try self.connect(connections, from: 1, at: start) }
    #expect(
      self.messages.dropFirst() == ["warning an address has too many connections, closing more of them without a response"])
    try self.connect(connections, from: 1, at: start + .seconds(59))
    #expect(self.messages.count == 2)
    try self.connect(connections, from: 1, at: start + .seconds(60))
    #expect(self.messages.count == 3)
  }

  @Test("warnings about one address do not suppress the warning that all connections are in use")
  func total() throws {
    var limits = ConnectionLimits()
    (limits.maximum, limits.perAddress) = (3, 1)
    let (connections, start) = (Connections(limits: limits), NIODeadline.uptimeNanoseconds(1))
    for host in [1, 1, 2, 3, 4] { try self.connect(connections, from: host, at: start) }
    #expect(
      self.messages == [
        "warning connection limit of an address reached, responding with 503",
        "warning connection limit reached, responding with 503",
      ])
  }
}
