package import NIOCore

extension Channel {
  /// Lets a listening channel accept many connections per event loop tick, instead of NIO's default of four.
  ///
  /// Under load, a tick takes long, because it serves all connections of its thread. With only four new connections per
  /// tick, new clients could wait for many seconds.
  package func acceptManyConnectionsPerTick() async throws {
    try await self.setOption(.maxMessagesPerRead, value: 256).get()
  }
}
