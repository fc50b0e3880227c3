import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport
import TestSupport
import Testing

/// The internal reasons of errors. They show that each request fails because of the rule that it breaks.
@Suite("Reasons of token endpoint errors")
struct TokenReasonTests {
  private func expect(
    _ error: TokenError, _ code: OAuthErrorCode = .invalidGrant, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> TokenResponse
  ) async {
    #expect(error.code == code, sourceLocation: sourceLocation)
    await #expect(throws: error, sourceLocation: sourceLocation) { try await body() }
  }

  @Test("S-02, S-04, S-35: each violated binding of a code has its own reason")
  func codeReasons() async throws {
    let fixture = try await TestServer()
    let code = try await fixture.insertCode()
    await self.expect(.verifierMismatch) { try await fixture.redeem(code, verifier: AuthorizeParameters.challenge) }
    await self.expect(.verifierMalformed, .invalidRequest) { try await fixture.redeem(code, verifier: "short") }
    await self.expect(.verifierMissing) { try await fixture.redeem(code, verifier: "") }
    let other = try await fixture.insertCode { grant, _ in grant.client = TestClient.claimedHTTPS.id }
    await self.expect(.codeOfAnotherClient) { try await fixture.redeem(other) }
    let otherRedirect = try await fixture.insertCode { _, code in code.redirectURI = "http://127.0.0.1:1/cb" }
    await self.expect(.redirectMismatch) { try await fixture.redeem(otherRedirect) }
    let expired = try await fixture.insertCode { _, code in code.expiresAt = Timestamp(seconds: 1_800_000_000) }
    await self.expect(.codeExpired) { try await fixture.redeem(expired) }
    let exhausted = try await fixture.insertCode { _, code in code.failures = 5 }
    await self.expect(.codeExhausted) { try await fixture.redeem(exhausted) }
    // This server never issues a code without a challenge to a public client. If it did, the code would be invalid.
    let withoutChallenge = try await fixture.insertCode { _, code in code.challenge = nil }
    await self.expect(.verifierMissing) { try await fixture.redeem(withoutChallenge) }
    await self.expect(.codeUnknown) {
      try await fixture.redeem(AuthorizationCode.random(of: GrantID(rawValue: "none")).text.reveal())
    }
    // The grant identifier is not secret. With the secret of another code, no code is found, and no failure is counted.
    let grant = try #require(AuthorizationCode(code)).grant.rawValue
    let (ownSecret, otherSecret) = (code.prefix { $0 != "." }, try await fixture.insertCode().prefix { $0 != "." })
    for _ in 0...AuthorizationCodeGrant.maximumFailures {
      await self.expect(.codeUnknown) { try await fixture.redeem("\(otherSecret).\(grant)") }
    }
    for text in ["\(ownSecret)", "\(ownSecret).", "\(ownSecret).\(String(repeating: "g", count: 65))", ".\(grant)"] {
      await self.expect(.codeUnknown) { try await fixture.redeem(text) }
    }
    _ = try await fixture.redeem(code)
    await self.expect(.codeReplayed) { try await fixture.redeem(code) }
    await self.expect(.grantEnded) { try await fixture.redeem(code) }
  }

  @Test("S-23, S-37: a refresh token that is unknown, reused, expired, or of an ended grant has its own reason")
  func refreshReasons() async throws {
    let fixture = try await TestServer()
    func token() async throws -> Secret<String> {
      try #require(try await fixture.redeem(try await fixture.insertCode()).refreshToken)
    }
    await self.expect(.refreshTokenUnknown) { try await fixture.refresh(OpaqueToken.random(.refreshToken).text) }
    // The grant identifier is not secret. With the secret of another token, no token is found, and no grant is revoked.
    let (mine, other) = (try await token(), try await token())
    let (secret, otherID) = (mine.reveal().prefix { $0 != "." }, other.reveal().drop { $0 != "." })
    let grantID = try #require(RefreshToken(mine.reveal())?.id?.grant.rawValue)
    for text in ["\(secret)\(otherID)", "\(secret).\(grantID)~2", "\(secret).\(grantID)~0", "\(secret)"] {
      await self.expect(.refreshTokenUnknown) { try await fixture.refresh(Secret(text)) }
    }
    _ = try await fixture.refresh(other)
    _ = try await fixture.refresh(mine)
    let (idle, reused) = (try await token(), try await token())
    let successor = try #require(try await fixture.refresh(reused).refreshToken)
    // The reuse interval, in which a used token still returns its successor, ends after 60 seconds.
    fixture.clock.advance(by: .seconds(60))
    await self.expect(.refreshTokenReused) { try await fixture.refresh(reused) }
    await self.expect(.grantEnded) { try await fixture.refresh(successor) }
    // A refresh token expires after 30 days without use.
    fixture.clock.advance(by: .seconds(30 * 86_400))
    await self.expect(.refreshTokenExpired) { try await fixture.refresh(idle) }
    let last = try await token()
    try await fixture.server.accounts.disable("ada")
    await self.expect(.grantEnded) { try await fixture.refresh(last) }
  }

  @Test("S-23: the store contains a successor only encrypted with its predecessor, until the successor is used")
  func sealedSuccessor() async throws {
    let fixture = try await TestServer()
    let first = try #require(try await fixture.redeem(try await fixture.insertCode()).refreshToken)
    let second = try #require(try await fixture.refresh(first).refreshToken)
    let token = try #require(RefreshToken(first.reveal()))
    let sealed = try await fixture.store.read { (tx) throws(StoreError) in
      try tx.refreshToken(token)?.credential.sealedSuccessor
    }
    #expect(sealed != nil)
    let bytes = Array(try #require(RefreshToken(second.reveal())).secret.text.reveal().utf8)
    #expect(sealed?.contains(bytes) == false)
    _ = try await fixture.refresh(second)
    let after = try await fixture.store.read { (tx) throws(StoreError) in
      try tx.refreshToken(token)?.credential.sealedSuccessor
    }
    #expect(after == nil)
  }

  @Test("invalid_grant errors for different reasons have the same description")
  func texts() {
    let errors: [TokenError] = [.codeUnknown, .codeExpired, .codeReplayed, .verifierMismatch, .refreshTokenReused]
    #expect(Set(errors.map(\.response.description)).count == 1)
  }
}
