import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Failed sign-ins at several servers")
struct SharedSignInCounterTests {
  private let address = ClientAddress("192.0.2.1", bytes: [192, 0, 2, 1])

  private func signIn(_ server: AuthorizationServer, _ password: String, as username: String = "ada") async throws -> String {
    let outcome = try await server.passwordSignIn.run(
      username: username, password: Secret(password), from: self.address, browser: nil, origin: .server)
    return switch outcome {
    case .success, .passwordChangeNeeded: "success"
    case .rejected: "rejected"
    case .throttled: "throttled"
    case .overloaded: "overloaded"
    }
  }

  @Test("a failure at one server counts at all servers of the database, including servers that start later")
  func sharesFailures() async throws {
    let fixture = try await TestServer()
    let servers = [fixture.server, try fixture.otherProcess()]
    for number in 0..<5 { #expect(try await self.signIn(servers[number % 2], "wrong") == "rejected") }
    for server in servers + [try fixture.otherProcess()] {
      #expect(try await self.signIn(server, TestServer.password) == "throttled")
    }
    #expect(try await self.signIn(servers[1], TestServer.password, as: "bob") == "success")
    fixture.clock.advance(by: .seconds(60))
    #expect(try await self.signIn(servers[1], TestServer.password) == "success")
  }

  @Test("a correct password at one server resets the failures of the same user and address at all servers")
  func resetsFailures() async throws {
    let fixture = try await TestServer()
    let other = try fixture.otherProcess()
    for _ in 0..<4 { #expect(try await self.signIn(fixture.server, "wrong") == "rejected") }
    #expect(try await self.signIn(other, TestServer.password) == "success")
    for _ in 0..<4 { #expect(try await self.signIn(other, "wrong") == "rejected") }
  }

  @Test("failures at a server whose clock is five seconds ahead count at the other servers")
  func clockDifference() async throws {
    let fixture = try await TestServer()
    let other = try fixture.otherProcess(clockOffset: .seconds(5))
    for _ in 0..<5 { #expect(try await self.signIn(other, "wrong") == "rejected") }
    #expect(try await self.signIn(fixture.server, TestServer.password) == "throttled")
  }

  @Test("after a clock that was a day ahead was corrected, earlier failures do not count, and later ones do")
  func correctedClock() async throws {
    let fixture = try await TestServer()
    let other = try fixture.otherProcess(clockOffset: .seconds(86_400))
    for _ in 0..<5 { #expect(try await self.signIn(other, "wrong") == "rejected") }
    #expect(try await self.signIn(fixture.server, TestServer.password) == "success")
    for _ in 0..<5 { #expect(try await self.signIn(fixture.server, "wrong") == "rejected") }
    #expect(try await self.signIn(try fixture.otherProcess(), TestServer.password) == "throttled")
  }

  @Test("a sign-in without earlier failures writes no counters")
  func writesNothing() async throws {
    let fixture = try await TestServer()
    let before = try fixture.rows()["attempt"]
    #expect(try await self.signIn(fixture.server, TestServer.password) == "success")
    #expect(try fixture.rows()["attempt"] == before)
  }

  @Test("DPoP nonces of one server are valid at the other servers, which have the same key file")
  func sharesNonces() async throws {
    let fixture = try await TestServer()
    let other = try fixture.otherProcess()
    #expect(other.nonces.current == fixture.server.nonces.current)
    #expect(other.nonces.valid == fixture.server.nonces.valid)
  }
}
