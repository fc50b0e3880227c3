import NIOCore
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
}
