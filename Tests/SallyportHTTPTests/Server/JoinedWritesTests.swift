import HummingbirdHTTP2
import Logging
import NIOCore
import NIOEmbedded
import SocketTestSupport
import Testing

@testable import SallyportHTTPServer

@Suite("Joined writes of TLS connections", .timeLimit(.minutes(1)))
struct JoinedWritesTests {
  private func channel() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(JoinedWrites())
    return channel
  }

  /// The lengths of the buffers that were sent.
  private func lengths(_ channel: EmbeddedChannel) throws -> [Int] {
    var lengths: [Int] = []
    while let buffer = try channel.readOutbound(as: ByteBuffer.self) { lengths.append(buffer.readableBytes) }
    return lengths
  }

  @Test("the writes before a flush are sent as one buffer, in order, and all of their promises succeed")
  func joins() throws {
    let channel = try self.channel()
    let written = ["head ", "body", ""].map { channel.write(ByteBuffer(string: $0)) }
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    channel.flush()
    #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "head body"))
    for future in written { try future.wait() }
    channel.flush()
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
  }

  @Test("the joined writes are at most as long as a TLS record, and a longer write is passed on as it is")
  func longWrites() throws {
    let channel = try self.channel()
    for length in [100, 16_284, 1, 20_000, 5] { channel.write(ByteBuffer(repeating: 7, count: length), promise: nil) }
    channel.flush()
    #expect(try self.lengths(channel) == [16_384, 1, 20_000, 5])
  }

  @Test("if a connection ends before a flush, its writes fail")
  func ends() throws {
    let channel = try self.channel()
    let written = ["a", "b"].map { channel.write(ByteBuffer(string: $0)) }
    channel.close(promise: nil)
    channel.embeddedEventLoop.run()
    for future in written { #expect(throws: ChannelError.ioOnClosedChannel) { try future.wait() } }
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
  }

  @Test("connections with TLS join their writes")
  func placement() throws {
    let base = try HTTP2UpgradeChannel(tlsConfiguration: TestCertificates().server) { _, _, _ in }
    let server = EventLoopChannel(base, Connections(limits: ConnectionLimits()))
    let channel = EmbeddedChannel()
    _ = server.setup(channel: channel, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    _ = try channel.pipeline.syncOperations.handler(type: JoinedWrites.self)
  }
}
