package import NIOCore

extension Channel {
  /// Lets a listening channel accept many connections per event loop tick, instead of NIO's default of four.
  ///
  /// Under load, a tick takes long, because it serves every connection of the thread. With four connections per tick, new
  /// clients would wait for many seconds.
  package func acceptInCrowds() async throws {
    try await self.setOption(.maxMessagesPerRead, value: 256).get()
  }
}
