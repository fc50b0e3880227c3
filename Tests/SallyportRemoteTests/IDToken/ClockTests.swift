import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Wrong clocks", .timeLimit(.minutes(1)))
struct ClockTests {
  private let fixture: IDTokenFixture

  init() throws {
    self.fixture = try IDTokenFixture()
  }

  /// Verifies a token in a response, and returns the error or `nil`.
  /// - Parameters:
  ///   - offset: The token's `iat`, in seconds after the time of the client's clock.
  ///   - date: The response's `Date`, in seconds after the time of the client's clock, or `nil` if the response has
  ///     none.
  private func error(
    issued offset: Int64, date: Int64?, clockSkew: Duration = .seconds(60)
  ) async throws -> IDTokenError? {
    let now = self.fixture.clock.now.seconds
    let claims = self.fixture.claims(["iat": .integer(now + offset), "exp": .integer(now + offset + 600)])
    var expectations = IDTokenExpectations(nonce: "n-1")
    expectations.serverTime = date.map { Timestamp(seconds: now + $0) }
    do {
      _ = try await self.fixture.verifier(clockSkew: clockSkew)
        .verify(try self.fixture.issuer.token(claims), expecting: expectations)
      return nil
    } catch let error as IDTokenError {
      return error
    }
  }

  @Test("if the token and the response's Date agree with each other but not with the clock, the error contains the difference")
  func wrongClock() async throws {
    #expect(try await self.error(issued: 150, date: 151) == .clockWrong(ahead: -151))
    #expect(try await self.error(issued: -7200, date: -7200) == .clockWrong(ahead: 7200))
  }

  @Test("unless the response's Date shows that the clock is the cause, the error does not mention the clock")
  func noEvidence() async throws {
    #expect(try await self.error(issued: 150, date: nil) == .issuedInFuture)
    #expect(try await self.error(issued: -7200, date: nil) == .expired)
    #expect(try await self.error(issued: 150, date: 0) == .issuedInFuture)
    #expect(try await self.error(issued: -7200, date: 0) == .expired)
    // The clock is wrong, but the token has also expired according to the response's Date.
    #expect(try await self.error(issued: -7200, date: -100) == .expired)
  }

  @Test(
    "C-29, C-33: if the times and another claim are wrong, the error names the other claim",
    arguments: [
      ("sub", "eve", .changed(.subject)), ("nonce", "n-2", .nonceMismatch),
      ("at_hash", "AAAAAAAAAAAAAAAAAAAAAA", .accessTokenHashMismatch), ("azp", "other", .authorizedPartyMismatch),
    ] as [(String, String, IDTokenError)])
  func otherClaim(claim: String, value: String, error: IDTokenError) async throws {
    let verifier = try self.fixture.verifier()
    let previous = try await verifier.verify(
      try self.fixture.issuer.token(self.fixture.claims), expecting: IDTokenExpectations(nonce: "n-1"))
    let token = try self.fixture.issuer.token(self.fixture.claims(["exp": 1, claim: .string(value)]))
    await #expect(throws: error) {
      try await verifier.verify(
        token, expecting: IDTokenExpectations(nonce: "n-1", accessToken: Secret("access"), previous: previous))
    }
  }

  @Test("the tolerated clock difference can be configured")
  func clockSkew() async throws {
    #expect(try await self.error(issued: 150, date: 150, clockSkew: .seconds(180)) == nil)
    #expect(try await self.error(issued: 50, date: 50) == nil)
    #expect(try await self.error(issued: 50, date: 50, clockSkew: .seconds(10)) == .clockWrong(ahead: -50))
  }
}
