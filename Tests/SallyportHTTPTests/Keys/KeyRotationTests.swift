import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Keys and configuration while the server runs")
struct KeyRotationTests {
  private func keyID(of token: String) throws -> String {
    let header = try #require(Base64URL.decode(token.prefix { $0 != "." }))
    return try #require(try JSONDecoder().decode([String: String].self, from: Data(header))["kid"])
  }

  /// Returns the IDs of the published keys.
  private func published(_ site: Site) async throws -> Set<String> {
    let body = try await site.send(.get, "/jwks.json").body
    let set = try #require(JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: [[String: String]]])
    return Set((set["keys"] ?? []).compactMap { $0["kid"] })
  }

  @Test("RFC 9068 §2.1: access tokens can be signed with RS256")
  func accessTokenAlgorithm() async throws {
    try await withSite(configure: { $0.accessTokenAlgorithm = .rs256 }) { site in
      let tokens = try await site.tokens()
      #expect(try self.keyID(of: tokens.access) == TestKeys.key(.rs256).id)
      #expect(try self.keyID(of: tokens.id) == TestKeys.key(.es256).id)
      #expect(try await site.userinfo(tokens.access).status == .ok)
    }
  }

  @Test("a new key is published immediately and signs only after the lead time; old tokens stay valid until they expire")
  func rotation() async throws {
    try await withSite { site in
      let clock = site.fixture.clock
      let old = try TestKeys.key(.es256).id
      let management = KeyManagement(store: site.fixture.store, masterKey: site.fixture.masterKey, now: clock.source)
      _ = try await site.tokens()
      clock.advance(by: .seconds(1))
      let new = try await management.rotate().map(\.id)
      // The server notices changes in the store within 250 milliseconds.
      clock.advance(by: .milliseconds(250))
      #expect(try await self.published(site).isSuperset(of: new + [old]))
      let before = try await site.tokens()
      #expect(try self.keyID(of: before.access) == old)

      // New keys begin to sign ten minutes after the rotation.
      clock.advance(by: .seconds(599))
      let last = try await site.tokens()
      #expect(try self.keyID(of: last.access) == old)
      clock.advance(by: .seconds(1))
      let first = try await site.tokens()
      #expect(new.contains(try self.keyID(of: first.access)))
      for token in [last.access, first.access] { #expect(try await site.userinfo(token).status == .ok) }

      // `last` is now 599 seconds old, one second less than the lifetime of access tokens.
      clock.advance(by: .seconds(598))
      #expect(try await site.userinfo(last.access).status == .ok)
      // The old key stays published until one hour after the last token that it signed expires.
      clock.advance(by: .seconds(3700))
      #expect(try await self.published(site) == Set(new))
    }
  }

  @Test("after a leak, new keys sign immediately, and tokens of the old keys are rejected, even if they were verified before")
  func immediately() async throws {
    try await withSite { site in
      let (verified, unverified) = (try await site.tokens(), try await site.tokens())
      #expect(try await site.userinfo(verified.access).status == .ok)
      let management = KeyManagement(
        store: site.fixture.store, masterKey: site.fixture.masterKey, now: site.fixture.clock.source)
      let new = try await management.rotate(immediately: true).map(\.id)
      site.fixture.clock.advance(by: .milliseconds(250))
      for token in [verified.access, unverified.access] { #expect(try await site.userinfo(token).status == .unauthorized) }
      #expect(try await self.published(site) == Set(new))
      #expect(new.contains(try self.keyID(of: try Tokens(try await site.refresh(verified.refresh)).access)))
    }
  }

  @Test("after a leak, a key that a planned rotation retired is not trusted either")
  func immediatelyAfterPlanned() async throws {
    try await withSite { site in
      let clock = site.fixture.clock
      let management = KeyManagement(store: site.fixture.store, masterKey: site.fixture.masterKey, now: clock.source)
      _ = try await management.rotate()
      clock.advance(by: .seconds(599))
      // One second before the new keys begin to sign, the old key still signs this token.
      let old = try await site.tokens()
      clock.advance(by: .seconds(2))
      #expect(try await site.userinfo(old.access).status == .ok)
      let new = try await management.rotate(immediately: true).map(\.id)
      clock.advance(by: .milliseconds(250))
      #expect(try await site.userinfo(old.access).status == .unauthorized)
      #expect(try await self.published(site) == Set(new))
    }
  }

  @Test("a client that another process adds or removes is noticed within 250 milliseconds")
  func otherProcess() async throws {
    try await withSite { site in
      let other = try site.fixture.otherProcess()
      var client = try TestClient.claimedHTTPS.record
      client.id = ClientID(rawValue: "late")
      let request = AuthorizeParameters(.claimedHTTPS).with("client_id", "late")
      expectErrorPage(try await TestBrowser(site).authorize(request))
      let record = client
      try await other.store.write { (tx) throws(StoreError) in try tx.insert(record) }
      site.fixture.clock.advance(by: .milliseconds(250))
      #expect(try await TestBrowser(site).authorize(request).isSignInPage)
      try await other.store.write { (tx) throws(StoreError) in _ = try tx.remove(record.id, from: .command, at: .now()) }
      site.fixture.clock.advance(by: .milliseconds(250))
      expectErrorPage(try await TestBrowser(site).authorize(request))
    }
  }

  @Test("a code that one process has redeemed is rejected by another process, and its tokens are revoked")
  func twoProcesses() async throws {
    try await withSite { site in
      let other = try site.fixture.otherProcess()
      let code = try await site.code()
      let body = FormParameters.encode([
        ("grant_type", "authorization_code"), ("code", code), ("client_id", "loopback"),
        ("redirect_uri", TestClient.loopback.requestedURI), ("code_verifier", AuthorizeParameters.verifier),
      ])
      let issued = try await other.token.respond(
        to: body, authorization: nil, origin: .request("test", from: nil), from: .unknown)
      expectTokenError(try await site.redeem(code), "invalid_grant")
      await #expect(throws: (any Error).self) { try await other.userinfo.respond(to: .init(token: issued.response.accessToken)) }
    }
  }
}
