import NIOCore
import ServiceLifecycle

@testable import SallyportDaemon

extension ServerApplication {
  /// Runs the server while `body` runs.
  /// - Parameter body: Called with the listening channel when the server accepts connections.
  func withRunningServer<R: Sendable>(
    _ body: @escaping @Sendable (_ listening: any Channel) async throws -> R
  ) async throws -> R {
    let (ready, continuation) = AsyncStream.makeStream(of: (any Channel).self)
    let group = try self.group(signals: []) { continuation.yield($0) }
    async let server: Void = {
      defer { continuation.finish() }
      try await group.run()
    }()
    do {
      guard let listening = await ready.first(where: { _ in true }) else {
        try await server
        throw Failure("the server stopped")
      }
      let result = try await body(listening)
      await group.triggerGracefulShutdown()
      try await server
      return result
    } catch {
      await group.triggerGracefulShutdown()
      _ = try? await server
      throw error
    }
  }
}
