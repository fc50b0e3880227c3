import NIOCore
import NIOEmbedded
import Testing

@testable import SallyportHTTPServer

@Suite("What is written on a connection is sent after the round of the event loop")
struct LateFlushTests {
  private func channel() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(LateFlush(), position: .first)
    return channel
  }

  private func sent(_ channel: EmbeddedChannel) throws -> String? {
    try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
  }

  @Test("all of it, in its order, once the others have had their turn; what comes later has a round of its own")
  func order() throws {
    let channel = try self.channel()
    for text in ["a", "b"] { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    #expect(try self.sent(channel) == nil)
    channel.embeddedEventLoop.run()
    #expect(try self.sent(channel) == "a")
    #expect(try self.sent(channel) == "b")
    channel.writeAndFlush(ByteBuffer(string: "c"), promise: nil)
    #expect(try self.sent(channel) == nil)
    channel.embeddedEventLoop.run()
    #expect(try self.sent(channel) == "c")
  }

  @Test("a connection that is closed in the same round has sent what was written before")
  func close() throws {
    let channel = try self.channel()
    channel.writeAndFlush(ByteBuffer(string: "last"), promise: nil)
    channel.close(promise: nil)
    #expect(try self.sent(channel) == "last")
    channel.embeddedEventLoop.run()
    #expect(try self.sent(channel) == nil)
  }
}
