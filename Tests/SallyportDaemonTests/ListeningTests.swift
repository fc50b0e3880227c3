import Logging
import NIOCore
import SallyportProtocol
import ServiceLifecycle
import Testing

@testable import SallyportDaemon

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("What listens")
struct ListeningTests {
  private struct Failing: Service {
    let error: any Error
    func run() async throws { throw self.error }
  }

  @Test("an address that cannot be had is named with the reason, for people; anything else is passed on")
  func address() async {
    func run(_ error: any Error) async throws {
      try await ListeningService(base: Failing(error: error), host: "::1", port: 443).run()
    }
    await #expect(throws: Failure("cannot listen at ::1, port 443: Address already in use")) {
      try await run(IOError(errnoCode: EADDRINUSE, reason: "bind"))
    }
    await #expect(throws: Failure("cannot listen at ::1, port 443: Permission denied")) {
      try await run(IOError(errnoCode: EACCES, reason: "bind"))
    }
    await #expect(throws: CancellationError.self) { try await run(CancellationError()) }
  }

  /// The default is four, for each time in which everybody on the thread is served once.
  @Test(
    "the server takes in as many connections at a time as wait, so that who comes anew in a crowd is not behind those who came before"
  )
  func crowds() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    var settings = ServerSettings(issuer: try Issuer("http://localhost:1"))
    (settings.data, settings.port, settings.logLevel) = (folder.path, 0, .critical)
    let application = try await ServerApplication(directory: try DataDirectory(path: folder.path), settings: settings)
    let taken = try await application.serving(observedBy: { _, _ in }) { listening in
      try await listening.getOption(.maxMessagesPerRead).get()
    }
    #expect(taken == 256)
  }
}
