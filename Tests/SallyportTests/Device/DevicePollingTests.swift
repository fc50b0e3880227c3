import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Polling for device authorization", .timeLimit(.minutes(1)))
struct DevicePollingTests {
  private let fixture: DeviceFixture

  init() throws {
    self.fixture = try DeviceFixture()
  }

  /// Signs in with these responses to the first polls, and tokens in response to the poll after them. Returns the
  /// number of seconds that the client waited before each poll.
  private func waits(_ outcomes: [FakeTransport.Outcome]) async throws -> [Int64] {
    self.fixture.respondToPolls(outcomes)
    _ = try await self.fixture.signIn()
    return self.fixture.waits.map(\.components.seconds)
  }

  @Test("P-06: the client waits for the server's interval before every poll, including the first one")
  func interval() async throws {
    #expect(try await self.waits([DeviceFixture.pending, DeviceFixture.pending]) == [5, 5, 5])
  }

  @Test(
    "P-06: the default interval is five seconds, and an interval of zero does not cause a busy loop",
    arguments: [(nil, 5), (0, 1), (30, 30)])
  func intervals(_ sent: Int64?, _ used: Int64) async throws {
    var response = DeviceFixture.response
    response["interval"] = sent.map { .integer($0) }
    self.fixture.offer(response)
    #expect(try await self.waits([DeviceFixture.pending]) == [used, used])
  }

  @Test("P-06: slow_down permanently adds five seconds to the interval")
  func slowDown() async throws {
    let slow = DeviceFixture.error("slow_down")
    let pending = DeviceFixture.pending
    #expect(try await self.waits([pending, slow, pending, slow, pending]) == [5, 5, 10, 10, 15, 15])
  }

  @Test("P-06: error codes are recognized regardless of the HTTP status (GitHub uses 200, Google 428 and 403)")
  func statuses() async throws {
    let outcomes = [
      DeviceFixture.error("authorization_pending", status: .ok),
      DeviceFixture.error("authorization_pending", status: .init(code: 428)), DeviceFixture.error("slow_down", status: .ok),
      DeviceFixture.error("slow_down", status: .forbidden), DeviceFixture.error("slow_down", status: .tooManyRequests),
    ]
    #expect(try await self.waits(outcomes) == [5, 5, 5, 10, 15, 20])
  }

  @Test("P-06: the error codes temporarily_unavailable and server_error count as failed polls")
  func temporary() async throws {
    let outcomes = [DeviceFixture.error("temporarily_unavailable"), DeviceFixture.error("server_error"), DeviceFixture.pending]
    #expect(try await self.waits(outcomes) == [5, 10, 20, 5])
  }

  @Test(
    "P-06: after each failed poll (including 429 and 503), the wait doubles up to one minute; authorization_pending resets it")
  func backOff() async throws {
    let outcomes: [FakeTransport.Outcome] = [
      .failure(.timedOut), .failure(.unreachable(reason: "reset")), .success(.text("busy", status: .serviceUnavailable)),
      .success(.text("busy", status: .tooManyRequests)), .failure(.timedOut), DeviceFixture.pending,
    ]
    #expect(try await self.waits(outcomes) == [5, 10, 20, 40, 60, 60, 5])
  }

  @Test("P-06: the backoff after failures never makes the interval shorter than slow_down requires")
  func slowDownAndBackOff() async throws {
    let outcomes = Array(repeating: DeviceFixture.error("slow_down"), count: 12) + [.failure(.timedOut)]
    // Twelve times slow_down adds 60 seconds to the initial 5 seconds.
    #expect(try await self.waits(outcomes).suffix(2) == [65, 65])
  }

  @Test("an untrusted certificate ends the sign-in immediately")
  func untrusted() async throws {
    self.fixture.respondToPolls([.failure(.untrusted(reason: "expired"))])
    await #expect(throws: SignInError.network(.untrusted(reason: "expired"))) { try await self.fixture.signIn() }
    #expect(self.fixture.polls.count == 1)
  }

  @Test("P-06: polling stops when the code expires, and the sign-in is reported as timed out, not as denied")
  func expires() async throws {
    self.fixture.respondToPolls(Array(repeating: DeviceFixture.pending, count: 10_000))
    await #expect(throws: SignInError.timedOut) { try await self.fixture.signIn() }
    // The client polls every five seconds, but not at the end of the 30 minutes, when the code has expired.
    #expect(self.fixture.polls.count == 1800 / 5 - 1)
  }

  @Test("the app's timeout can end the wait before the code expires")
  func timeout() async throws {
    self.fixture.respondToPolls(Array(repeating: DeviceFixture.pending, count: 10_000))
    await #expect(throws: SignInError.timedOut) {
      try await self.fixture.signIn(SignInOptions(scopes: [.openID], timeout: .seconds(21)))
    }
    #expect(self.fixture.polls.count == 4)
  }

  @Test("P-06: an expired_token error ends the wait")
  func expiredToken() async throws {
    self.fixture.respondToPolls([DeviceFixture.pending, DeviceFixture.error("expired_token")])
    await #expect(throws: SignInError.timedOut) { try await self.fixture.signIn() }
    #expect(self.fixture.polls.count == 2)
  }
}
