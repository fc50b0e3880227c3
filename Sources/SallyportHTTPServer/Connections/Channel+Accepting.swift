package import NIOCore

extension Channel {
  /// Lets a channel that listens take in as many connections at a time as the system keeps waiting for it.
  ///
  /// By itself it takes four for each time in which everybody on its thread is served once: in a crowd the apps that come anew would wait behind all those
  /// who came before, for many seconds, while the ones that are connected are served.
  package func acceptInCrowds() async throws {
    try await self.setOption(.maxMessagesPerRead, value: 256).get()
  }
}
