import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Refresh tokens that do not contain the ID of their grant. An earlier version issued them, and clients may keep them
/// for months. The text of a token with a grant ID ends with `.`, the grant ID, `~`, and the number of the token.
@Suite("Refresh tokens without a grant ID")
struct UnnamedTokenTests {
  /// Stores a grant with one refresh token, and passes the token without the grant ID to `body`.
  /// - Parameter number: The token's number. The migration of the database numbers the tokens of the earlier version
  ///   backward: the last token of a grant is 0, and the one before it is -1.
  private func withToken(_ number: Int64 = 0, _ body: @Sendable (Site, String) async throws -> Void) async throws {
    try await withSite { site in
      let tokenID = try #require(RefreshToken(try await site.tokens(.web).refresh)?.id)
      let (secret, now) = (OpaqueToken.random(.refreshToken), site.fixture.clock.now)
      try await site.fixture.store.write { (tx) throws(StoreError) in
        // A copy of the grant, with one token of the earlier version.
        guard var grant = try tx.grant(tokenID.grant) else { throw .rolledBack }
        grant.id = GrantID(rawValue: "earlier")
        try tx.insert(grant)
        try tx.insert(
          RefreshTokenRecord(
            id: RefreshTokenID(grant: grant.id, number: number), fingerprint: secret.fingerprint, issuedAt: now,
            expiresAt: grant.expiresAt))
      }
      try await body(site, secret.text.reveal())
    }
  }

  @Test(
    """
    S-23: a refresh token without a grant ID is replaced by one with a grant ID, even after a lost response, and reuse of the old \
    token revokes the grant
    """
  )
  func rotation() async throws {
    try await self.withToken { site, token in
      let second = try Tokens(try await site.refresh(token, .web)).refresh
      #expect(second.hasSuffix(".earlier~1"))
      #expect(try Tokens(try await site.refresh(token, .web)).refresh == second)
      let third = try Tokens(try await site.refresh(second, .web)).refresh
      #expect(third.hasSuffix(".earlier~2"))
      #expect(try site.fixture.revocations().isEmpty)
      expectTokenError(try await site.refresh(token, .web), "invalid_grant")
      expectTokenError(try await site.refresh(third, .web), "invalid_grant")
      #expect(try site.fixture.revocations() == ["refreshTokenReused"])
    }
  }

  @Test("S-23: a response that a client lost before the upgrade is repeated after the upgrade")
  func lostReply() async throws {
    try await self.withToken(-1) { site, first in
      // This refresh stands for a refresh that the earlier version handled.
      let second = try Tokens(try await site.refresh(first, .web)).refresh
      #expect(second.hasSuffix(".earlier~0"))
      #expect(try Tokens(try await site.refresh(first, .web)).refresh == second)
      // The token as the earlier version issued it, without the grant ID.
      let unnamed = String(second.prefix { $0 != "." })
      let third = try Tokens(try await site.refresh(unnamed, .web)).refresh
      #expect(third.hasSuffix(".earlier~1"))
      #expect(try Tokens(try await site.refresh(second, .web)).refresh == third)
      #expect(try site.fixture.revocations().isEmpty)
      expectTokenError(try await site.refresh(first, .web), "invalid_grant")
      #expect(try site.fixture.revocations() == ["refreshTokenReused"])
    }
  }

  @Test("a token without a grant ID can be introspected and revoked")
  func revocation() async throws {
    try await self.withToken { site, token in
      let fields = [("token", token), ("client_id", "web"), ("client_secret", TestClient.secret)]
      #expect(try await site.post("/introspect", fields).body.contains("\"active\":true"))
      #expect(try await site.post("/revoke", fields).status == .ok)
      #expect(try site.fixture.revocations() == ["clientRequest"])
      #expect(try await site.post("/introspect", fields).body.contains("\"active\":false"))
      expectTokenError(try await site.refresh(token, .web), "invalid_grant")
    }
  }
}
