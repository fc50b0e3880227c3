import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Refreshing")
struct RefreshTests {
  @Test("S-23: each refresh returns a new refresh token, a new access token, and an ID token for the same user and client")
  func rotates() async throws {
    try await withSite { site in
      let first = try await site.tokens()
      site.fixture.clock.advance(by: .seconds(100))
      let second = try Tokens(try await site.refresh(first.refresh))
      let third = try Tokens(try await site.refresh(second.refresh))
      #expect(Set([first.refresh, second.refresh, third.refresh]).count == 3)
      #expect(Set([first.access, second.access, third.access]).count == 3)
      let (before, after) = (try decodedClaims(of: first.id), try decodedClaims(of: third.id))
      for name in ["iss", "sub", "aud", "auth_time"] { #expect("\(before[name] ?? "")" == "\(after[name] ?? "")") }
      #expect(after["iat"] as? Int64 == site.fixture.clock.now.seconds)
      // OpenID Connect Core §12.2: an ID token from a refresh should not have a nonce.
      #expect(before["nonce"] != nil && after["nonce"] == nil)
    }
  }

  @Test("S-23: within 60 seconds, a repeated refresh returns the same successor, so a client that lost the response can retry")
  func lostReply() async throws {
    try await withSite { site in
      let first = try await site.tokens()
      let second = try Tokens(try await site.refresh(first.refresh))
      for _ in 0..<3 {
        site.fixture.clock.advance(by: .milliseconds(19_999))
        #expect(try Tokens(try await site.refresh(first.refresh)).refresh == second.refresh)
      }
      #expect(try site.fixture.rows()["refresh_token"] == 2)
      #expect(try await site.refresh(second.refresh).status == .ok)
      #expect(try site.fixture.revocations().isEmpty)
    }
  }

  @Test("S-23: after 60 seconds, presenting a replaced refresh token again revokes the grant")
  func reuseOutsideWindow() async throws {
    try await withSite { site in
      let first = try await site.tokens()
      let second = try Tokens(try await site.refresh(first.refresh))
      site.fixture.clock.advance(by: .seconds(60))
      try await site.expectingSameRowCounts {
        expectTokenError(try await site.refresh(first.refresh), "invalid_grant")
        expectTokenError(try await site.refresh(second.refresh), "invalid_grant")
      }
      #expect(try await site.userinfo(second.access).status == .unauthorized)
      #expect(try site.fixture.revocations() == ["refreshTokenReused"])
    }
  }

  @Test("S-23: once the successor was used, a use of its predecessor revokes the grant, even within the reuse interval")
  func predecessorOfUsed() async throws {
    try await withSite { site in
      let first = try await site.tokens()
      let second = try Tokens(try await site.refresh(first.refresh))
      let third = try Tokens(try await site.refresh(second.refresh))
      expectTokenError(try await site.refresh(first.refresh), "invalid_grant")
      expectTokenError(try await site.refresh(third.refresh), "invalid_grant")
      #expect(try site.fixture.revocations() == ["refreshTokenReused"])
    }
  }

  @Test("S-23: reuse of a refresh token revokes the grant, even after several later refreshes")
  func grandparent() async throws {
    try await withSite { site in
      let first = try await site.tokens()
      let second = try Tokens(try await site.refresh(first.refresh))
      let third = try Tokens(try await site.refresh(second.refresh))
      let fourth = try Tokens(try await site.refresh(third.refresh))
      site.fixture.clock.advance(by: .seconds(3600))
      expectTokenError(try await site.refresh(first.refresh), "invalid_grant")
      expectTokenError(try await site.refresh(fourth.refresh), "invalid_grant")
    }
  }

  @Test("S-23: a hundred simultaneous refreshes get the same successor, and the grant stays valid")
  func parallel() async throws {
    try await withSite { site in
      let first = try await site.tokens()
      let successors = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<100 { group.addTask { try Tokens(try await site.refresh(first.refresh)).refresh } }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(successors.count == 1)
      #expect(try site.fixture.rows()["refresh_token"] == 2)
      #expect(try await site.refresh(try #require(successors.first)).status == .ok)
    }
  }

  @Test("a refresh during the revocation of its grant returns no usable refresh token")
  func duringRevocation() async throws {
    try await withSite { site in
      for _ in 0..<20 {
        let first = try await site.tokens()
        let successors = try await withThrowingTaskGroup(of: String?.self) { group in
          for index in 0..<8 {
            // The fifth of eight concurrent requests revokes the token.
            group.addTask {
              if index == 4 {
                _ = try await site.post("/revoke", [("token", first.refresh), ("client_id", "loopback")])
                return nil
              }
              return try await site.refresh(first.refresh).json["refresh_token"]
            }
          }
          return try await group.reduce(into: Set<String>()) { if let token = $1 { $0.insert(token) } }
        }
        for token in successors.union([first.refresh]) { expectTokenError(try await site.refresh(token), "invalid_grant") }
      }
    }
  }

  @Test("S-37: a refresh token is bound to its client", arguments: [TestClient.privateUse, .claimedHTTPS, .dynamic, .web])
  func otherClient(client: TestClient) async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      try await site.expectingSameRowCounts {
        expectTokenError(try await site.refresh(tokens.refresh, client), "invalid_grant")
      }
      // A stolen token that the thief cannot use is no reason to revoke the owner's grant.
      #expect(try await site.refresh(tokens.refresh).status == .ok)
    }
  }

  @Test(
    "S-37: the scope can be narrowed for one access token, and the new refresh token keeps the whole scope",
    arguments: [
      ("openid", "openid"), ("email openid", "email openid"), ("openid openid", "openid"),
      ("openid profile email offline_access", "openid profile email offline_access"),
    ])
  func narrows(scope: String, granted: String) async throws {
    try await withSite { site in
      let first = try await site.tokens()
      let response = try await site.refresh(first.refresh, changing: ["scope": scope])
      #expect(response.json["scope"] == granted)
      let userinfo = try await site.userinfo(try #require(response.json["access_token"]))
      #expect((userinfo.json["email"] != nil) == scope.contains("email"))
      // RFC 6749 §6: the new refresh token keeps the scope of the previous one.
      let refreshed = try await site.refresh(try #require(response.json["refresh_token"]))
      #expect(refreshed.json["scope"] == "openid profile email offline_access")
    }
  }

  @Test(
    "S-37: a wider or malformed scope is rejected, and the refresh token stays valid",
    arguments: [
      "openid notes", "notes", "admin", "openid admin", "OPENID", "op\u{22}n", "\u{E9}",
    ])
  func widens(scope: String) async throws {
    try await withSite { site in
      let first = try await site.tokens()
      try await site.expectingSameRowCounts {
        expectTokenError(try await site.refresh(first.refresh, changing: ["scope": scope]), "invalid_scope")
      }
      #expect(try await site.refresh(first.refresh).status == .ok)
    }
  }

  @Test("S-37: a refresh token expires after 30 days without use, and each use restarts the time")
  func idle() async throws {
    try await withSite { site in
      var token = try await site.tokens().refresh
      for _ in 0..<3 {
        site.fixture.clock.advance(by: .seconds(30 * 86_400) - .milliseconds(1))
        token = try Tokens(try await site.refresh(token)).refresh
      }
      site.fixture.clock.advance(by: .seconds(30 * 86_400))
      try await site.expectingSameRowCounts { expectTokenError(try await site.refresh(token), "invalid_grant") }
    }
  }

  @Test("a grant ends a year after the user's consent, regardless of its use")
  func absolute() async throws {
    try await withSite { site in
      var token = try await site.tokens().refresh
      for _ in 0..<18 {
        site.fixture.clock.advance(by: .seconds(20 * 86_400))
        token = try Tokens(try await site.refresh(token)).refresh
      }
      site.fixture.clock.advance(by: .seconds(5 * 86_400))
      expectTokenError(try await site.refresh(token), "invalid_grant")
    }
  }

  @Test("S-37: a new password ends every app's access to the account, but not to accounts of other users")
  func passwordChange() async throws {
    try await withSite { site in
      let (ada, bob) = (try await site.tokens(), try await site.tokens(.claimedHTTPS, as: "bob"))
      try await site.fixture.server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      expectTokenError(try await site.refresh(ada.refresh), "invalid_grant")
      #expect(try await site.userinfo(ada.access).status == .unauthorized)
      #expect(try await site.refresh(bob.refresh, .claimedHTTPS).status == .ok)
      #expect(try site.fixture.revocations() == ["passwordChanged"])
    }
  }

  @Test("a token of a removed client is rejected")
  func removedClient() async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      try await site.fixture.store.write { (tx) throws(StoreError) in
        _ = try tx.remove(TestClient.loopback.id, from: .command, at: .now())
      }
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
      // After 250 milliseconds, the server has noticed the change.
      site.fixture.clock.advance(by: .milliseconds(250))
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_client", status: .unauthorized)
      #expect(try await site.userinfo(tokens.access).status == .unauthorized)
    }
  }

  @Test("a client whose removal was interrupted is rejected, and another removal completes it")
  func interruptedRemoval() async throws {
    try await withSite { site in
      let tokens = [try await site.tokens(), try await site.tokens(as: "bob")]
      let code = try await site.code()
      let (store, id, now) = (FailingStore(site.fixture.store), TestClient.loopback.id, site.fixture.clock.now)
      store.interrupt(after: 1)
      await #expect(throws: StoreError.self) { try await store.removeClient(id, from: .command, at: now, limit: 1) }
      site.fixture.clock.advance(by: .milliseconds(250))
      for token in tokens { expectTokenError(try await site.refresh(token.refresh), "unauthorized_client") }
      expectTokenError(try await site.redeem(code), "unauthorized_client")
      expectErrorPage(try await TestBrowser(site).authorize(AuthorizeParameters()))
      store.interrupt(after: nil)
      #expect(try await store.removeClient(id, from: .command, at: now, limit: 1))
      #expect(store.writes > 4)
      let rows = try site.fixture.rows()
      #expect(rows["oauth_grant"] == 0 && rows["refresh_token"] == 0 && rows["consent"] == 0)
      #expect(try await site.client("loopback") == nil)
      #expect(try await site.trail(.clientChanged).count == 1)
      #expect(try await site.trail(.clientRemoved).count == 1)
      #expect(try await !store.removeClient(id, from: .command, at: now))
    }
  }

  @Test("a client with few grants is removed in one transaction")
  func removalInOneTransaction() async throws {
    try await withSite { site in
      _ = try await site.tokens()
      let store = FailingStore(site.fixture.store)
      #expect(try await store.removeClient(TestClient.loopback.id, from: .command, at: site.fixture.clock.now))
      #expect(store.writes == 1)
      #expect(try await site.events().filter { $0.hasPrefix("client") }.count == 1)
    }
  }

  @Test("only a refresh token is accepted, not a code, an access token, or a modified token", arguments: 0..<6)
  func notARefreshToken(index: Int) async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      let token = [
        try await site.code(), tokens.access, tokens.id, "slp_rt_x", String(tokens.refresh.dropLast()) + "!",
        "slp_rt_" + String(repeating: "A", count: 49),
      ][index]
      try await site.expectingSameRowCounts { expectTokenError(try await site.refresh(token), "invalid_grant") }
      #expect(try site.fixture.revocations().isEmpty)
    }
  }
}
