import SallyportProtocol
import SallyportSQLite
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Operators' changes to accounts")
struct AccountAdministrationTests {
  private func trail(_ fixture: TestServer, _ event: AuditEvent) async throws -> [AuditRecord] {
    var query = AuditQuery(limit: 10)
    query.events = [event]
    return try await fixture.store.read { [query] (tx) throws(StoreError) in try tx.auditRecords(query) }
  }

  private func signIn(_ fixture: TestServer, as username: String = "ada") async throws -> String? {
    let account = try #require(try await fixture.server.accounts.account(named: Username(username)))
    return try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server)?.reveal()
  }

  @Test("a disabled account is enabled again, and its ended sessions stay ended")
  func enables() async throws {
    let fixture = try await TestServer()
    let cookie = try await self.signIn(fixture)
    try await fixture.server.accounts.disable("ada")
    #expect(try await self.signIn(fixture) == nil)
    #expect(try await fixture.server.accounts.enable("ADA").disabledAt == nil)
    try await fixture.server.accounts.enable("ada")
    #expect(try await self.signIn(fixture) != nil)
    #expect(try await fixture.server.sessions.active(cookie) == nil)
    #expect(try await self.trail(fixture, .accountEnabled).map(\.origin) == [.command])
    await #expect(throws: AccountError.notFound) { try await fixture.server.accounts.enable("nobody") }
  }

  @Test("the name and the email address are changed separately, and invalid values are rejected")
  func edits() async throws {
    let fixture = try await TestServer()
    let accounts = fixture.server.accounts
    let renamed = try await accounts.edit("ada", name: " Ada L. ")
    #expect(renamed.name == "Ada L." && renamed.email == "ada@example.com")
    let withNewEmail = try await accounts.edit("ada", email: "ada@lovelace.example")
    #expect(withNewEmail.name == "Ada L." && withNewEmail.email == "ada@lovelace.example")
    #expect(try await accounts.edit("ada", email: "").email == nil)
    // The last address has 255 characters, one more than the maximum.
    for invalid in [
      "ada", "@example.com", "ada@", "a@b@c", "a b@example.com", "a\n@example.com", "\(String(repeating: "x", count: 251))@b.c",
    ] {
      await #expect(throws: AccountError.invalidEmail, "\(invalid)") { try await accounts.edit("ada", email: invalid) }
    }
    await #expect(throws: AccountError.invalidName) { try await accounts.edit("ada", name: "a\u{7}b") }
    await #expect(throws: AccountError.notFound) { try await accounts.edit("nobody", name: "N") }
    // A change to the same values is not recorded.
    _ = try await accounts.edit("ada", name: "Ada L.")
    #expect(try await self.trail(fixture, .profileChanged).count == 1)
    #expect(try await self.trail(fixture, .emailChanged).count == 2)
  }

  @Test("an operator can disconnect an identity only from its own user; the change is recorded, and the user is notified")
  func disconnects() async throws {
    let fixture = try await TestServer { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }
    let accounts = fixture.server.accounts
    let (ada, bob, now) = (try await accounts.find("ada"), try await accounts.find("bob"), fixture.clock.now)
    let issuer = "https://corp.example"
    let upstream = UpstreamRecord(id: "corp", name: "Corp", issuer: issuer, clientID: "rp", createdAt: now)
    try await Upstreams(store: fixture.store, now: fixture.clock.source).add(upstream)
    try await fixture.store.write { (tx) throws(StoreError) in
      for (subject, account) in [("1", ada), ("2", ada), ("3", bob)] {
        try tx.insert(FederatedIdentityRecord(issuer: issuer, subject: subject, account: account.id, createdAt: now))
      }
    }
    for (other, subject) in [(issuer, "3"), (issuer, "4"), ("https://other.example", "1")] {
      #expect(try await !accounts.removeFederatedIdentity(issuer: other, subject: subject, of: "ada"))
    }
    #expect(try await self.trail(fixture, .identityDisconnected).isEmpty)
    #expect(try await accounts.removeFederatedIdentity(issuer: issuer, subject: "1", of: "ADA"))
    #expect(try await !accounts.removeFederatedIdentity(issuer: issuer, subject: "1", of: "ada"))
    #expect(try await accounts.federatedIdentities(of: "ada").map(\.subject) == ["2"])
    #expect(try await accounts.federatedIdentities(of: "bob").map(\.subject) == ["3"])
    let record = try #require(try await self.trail(fixture, .identityDisconnected).first)
    #expect(record.account == ada.id && record.subject == "corp" && record.origin == .command)
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    #expect(mailbox.messages.map(\.recipient) == ["<ada@example.com>"])
    #expect(mailbox.messages.map(\.subject) == ["Sign-in through Corp was disconnected from your account"])
    await #expect(throws: AccountError.notFound) {
      try await accounts.removeFederatedIdentity(issuer: issuer, subject: "1", of: "nobody")
    }
  }

  @Test("an operator can sign out all browsers of a user, or one of them; other users stay signed in")
  func signsOut() async throws {
    let fixture = try await TestServer()
    let cookies = [try await self.signIn(fixture), try await self.signIn(fixture), try await self.signIn(fixture, as: "bob")]
    let first = try #require(try await fixture.server.sessions.active(cookies[0])).record
    #expect(try await fixture.server.accounts.endSession(first.id))
    #expect(try await !fixture.server.accounts.endSession(first.id))
    #expect(try await !fixture.server.accounts.endSession("none"))
    #expect(try await fixture.server.sessions.active(cookies[0]) == nil)
    #expect(try await fixture.server.sessions.active(cookies[1]) != nil)
    #expect(try await fixture.server.accounts.signOut("ada") == 1)
    #expect(try await fixture.server.sessions.active(cookies[1]) == nil)
    #expect(try await fixture.server.sessions.active(cookies[2]) != nil)
    #expect(try await self.trail(fixture, .signedOut).map(\.origin.source) == [.command, .command])
  }

  @Test("a removed account cannot sign in, and the removal is recorded")
  func removes() async throws {
    let fixture = try await TestServer()
    let cookie = try await self.signIn(fixture)
    let removed = try await fixture.server.accounts.remove("ada")
    #expect(try await fixture.server.sessions.active(cookie) == nil)
    #expect(try await fixture.server.accounts.list().map(\.username.value) == ["bob"])
    #expect(try await self.trail(fixture, .accountRemoved).map(\.account) == [removed.id])
    await #expect(throws: AccountError.notFound) { try await fixture.server.accounts.remove("ada") }
  }

  @Test("a sign-in beyond the maximum number of sessions ends the least recently used session")
  func maximumSessions() async throws {
    let fixture = try await TestServer()
    let account = try #require(try await fixture.server.accounts.account(named: Username("ada")))
    var cookies: [String] = []
    for _ in 0...BrowserSessions.maximumSessions {
      fixture.clock.advance(by: .seconds(1))
      let cookie = try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server)
      cookies.append(try #require(cookie).reveal())
    }
    #expect(try await fixture.server.sessions.active(cookies[0]) == nil)
    for cookie in [cookies[1], cookies[cookies.count - 1]] {
      #expect(try await fixture.server.sessions.active(cookie) != nil)
    }
    #expect(try await self.trail(fixture, .signedOut).map(\.reason) == [.evicted])
  }

  @Test("stored text has no control characters or surrounding spaces, and is limited in bytes")
  func storableText() {
    #expect(StorableText.clean(" Fire\u{0}fox\r\n/1\u{1B}[31m\u{2028}\u{2029} ", maximumBytes: 512) == "Firefox/1[31m")
    #expect(StorableText.clean("\u{0} \n", maximumBytes: 512) == nil && StorableText.clean("", maximumBytes: 512) == nil)
    #expect(StorableText.clean(String(repeating: "x", count: 5_000), maximumBytes: 512)?.utf8.count == 512)
    // Any number of combining marks can be part of one character. The `e` has one byte and each mark has two, so at
    // most 511 bytes fit.
    let marks = "e" + String(repeating: "\u{301}", count: 5_000)
    #expect(StorableText.clean(marks, maximumBytes: 512)?.utf8.count == 511)
  }
}
