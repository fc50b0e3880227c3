import Glibc
import Logging
import NIOCore
import SallyportProtocol
import ServiceLifecycle
import Testing

@testable import SallyportDaemon

@Suite("Listening")
struct ListeningTests {
  private struct Failing: Service {
    let error: any Error
    func run() async throws { throw self.error }
  }

  @Test("an error while listening names the address and the reason; other errors are passed on")
  func address() async {
    func run(_ error: any Error) async throws {
      try await ListeningService(base: Failing(error: error), host: "::1", port: 443).run()
    }
    await #expect(throws: Failure("cannot listen on ::1, port 443: Address already in use")) {
      try await run(IOError(errnoCode: EADDRINUSE, reason: "bind"))
    }
    await #expect(throws: Failure("cannot listen on ::1, port 443: Permission denied")) {
      try await run(IOError(errnoCode: EACCES, reason: "bind"))
    }
    await #expect(throws: CancellationError.self) { try await run(CancellationError()) }
  }

  /// By default, NIO accepts only four connections in each iteration of the event loop.
  @Test(
    "the server accepts up to 256 waiting connections at once, so that they do not wait for requests on other connections"
  )
  func connectionsPerTick() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    var settings = ServerSettings(issuer: try Issuer("http://localhost:1"))
    (settings.data, settings.port, settings.logLevel) = (folder.path, 0, .critical)
    let application = try await ServerApplication(directory: try DataDirectory(path: folder.path), settings: settings)
    let connectionsAtATime = try await application.withRunningServer { listening in
      try await listening.getOption(.maxMessagesPerRead).get()
    }
    #expect(connectionsAtATime == 256)
  }
}
