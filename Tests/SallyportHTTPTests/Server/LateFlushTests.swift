import NIOCore
import NIOEmbedded
import Testing

@testable import SallyportHTTPServer

@Suite("Delayed flushes of connections")
struct LateFlushTests {
  private func channel() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(LateFlush(), position: .first)
    return channel
  }

  private func sent(_ channel: EmbeddedChannel) throws -> String? {
    try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
  }

  @Test("writes are sent in order after the current tick of the event loop, and later writes after the next tick")
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

  @Test("a connection that is closed in the same tick sends what was written before")
  func close() throws {
    let channel = try self.channel()
    channel.writeAndFlush(ByteBuffer(string: "last"), promise: nil)
    channel.close(promise: nil)
    #expect(try self.sent(channel) == "last")
    channel.embeddedEventLoop.run()
    #expect(try self.sent(channel) == nil)
  }
}
