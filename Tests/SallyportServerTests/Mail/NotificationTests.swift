import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Notifications to users")
struct NotificationTests {
  private func server() async throws -> TestServer {
    try await TestServer { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0, name: "Example IT") } }
  }

  private func sent(_ fixture: TestServer) async throws -> [TestMail] {
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    return mailbox.messages
  }

  @Test("users are notified when an operator changes the password, or disables, enables, or deletes the account")
  func operators() async throws {
    let fixture = try await self.server()
    let accounts = fixture.server.accounts
    try await accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
    // Messages that are queued in the same millisecond are sent in any order.
    fixture.clock.advance(by: .seconds(1))
    try await accounts.disable("ada")
    fixture.clock.advance(by: .seconds(1))
    try await accounts.enable("ada")
    fixture.clock.advance(by: .seconds(1))
    try await accounts.remove("ada")
    let mails = try await self.sent(fixture)
    #expect(
      mails.map(\.subject) == [
        "Your password was changed", "Your account was disabled", "Your account was enabled again", "Your account was deleted",
      ])
    for mail in mails {
      #expect(mail.recipient == "<ada@example.com>" && mail.senderName == "Example IT" && mail.link == nil)
      #expect(mail.plainText.contains("The account is ada at Example Accounts."))
      #expect(mail.plainText.contains("on 2027-01-15 08:00 UTC by an operator."))
      // Only the mail about the password links to the account page, because users of a disabled or deleted account
      // cannot open this page. The other mails name the operator instead.
      let isOfPassword = mail.subject == "Your password was changed"
      #expect(mail.plainText.contains("https://id.example/account") == isOfPassword)
      #expect(mail.plainText.contains("If you did not expect this, contact the operator of Example Accounts.") == !isOfPassword)
    }
  }

  @Test("a change of the email address is reported to the old address, and a change of the name is not reported")
  func oldAddress() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accounts.edit("ada", name: "Ada L.")
    #expect(try await self.sent(fixture).isEmpty)
    _ = try await fixture.server.accounts.edit("ada", email: "ada@lovelace.example")
    #expect(try await self.sent(fixture).map(\.recipient) == ["<ada@example.com>"])
    _ = try await fixture.server.accounts.edit("ada", email: "")
    #expect(try await self.sent(fixture).map(\.recipient) == ["<ada@lovelace.example>"])
    try await fixture.server.accounts.disable("ada")
    #expect(try await self.sent(fixture).isEmpty)
  }

  @Test(
    """
    a user who chooses a first password with a link for forgotten passwords is notified, and a user who chooses it with an \
    invitation is not
    """)
  func firstPassword() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let invitation = try await links.invite("carol", email: "carol@example.com", isMailed: false)
    try await self.choosePassword(with: invitation, fixture)
    #expect(try await self.sent(fixture).isEmpty)

    _ = try await links.invite("dave", email: "dave@example.com", isMailed: false)
    try await self.choosePassword(with: try await links.reset("dave", isMailed: false), fixture)
    let mails = try await self.sent(fixture)
    #expect(mails.map(\.subject) == ["Your password was changed"] && mails.map(\.recipient) == ["<dave@example.com>"])
  }

  @Test(
    "a user who chooses a first password with an invitation is notified if the user already had another way to sign in",
    arguments: ["passkey", "identity"])
  func firstPasswordBesidesOthers(way: String) async throws {
    let fixture = try await self.server()
    let (links, now) = (fixture.server.accountLinks, fixture.clock.now)
    _ = try await links.invite("erin", email: "erin@example.com", isMailed: false)
    let account = try await fixture.server.accounts.find("erin")
    try await fixture.store.write { (tx) throws(StoreError) in
      if way == "identity" {
        try tx.insert(
          FederatedIdentityRecord(issuer: "https://corp.example", subject: "1", account: account.id, createdAt: now))
      } else {
        try tx.insert(
          PasskeyRecord(
            id: [1], account: account.id, relyingPartyID: "id.example", publicKey: [1], aaguid: Array(repeating: 0, count: 16),
            signatureCount: 0, isBackupEligible: false, isBackedUp: false, name: "Phone", createdAt: now))
      }
    }
    try await self.choosePassword(with: try await links.invite("erin", isMailed: false), fixture)
    let mails = try await self.sent(fixture)
    #expect(mails.map(\.subject) == ["Your password was changed"] && mails.map(\.recipient) == ["<erin@example.com>"])
  }

  private func choosePassword(with link: Secret<String>, _ fixture: TestServer) async throws {
    let token = String(try #require(link.reveal().split(separator: "=").last))
    let proof = try #require(try await fixture.server.accountLinks.consume(token, from: .server))
    let password = Secret(TestServer.otherPassword)
    let outcome = try await fixture.server.accountLinks.setPassword(
      password, repeated: password, proof: proof.reveal(), from: .server)
    guard case .done = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test("a user gets at most 20 notifications within an hour")
  func limit() async throws {
    let fixture = try await self.server()
    for _ in 0..<15 {
      try await fixture.server.accounts.disable("ada")
      try await fixture.server.accounts.enable("ada")
    }
    #expect(try await fixture.store.read { (tx) throws(StoreError) in try tx.mails().count } == 20)
  }

  @Test("the notification of a change by the user names the browser, but not its network address")
  func browser() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let link = try await links.reset("ada", isMailed: false).reveal()
    let proof = try await links.consume(String(try #require(link.split(separator: "=").last)), from: .server)
    var origin = AuditOrigin.request("r1", from: "203.0.113.7")
    origin.userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    let password = Secret(TestServer.otherPassword)
    _ = try await links.setPassword(password, repeated: password, proof: proof?.reveal(), from: origin)
    let mail = try #require(try await self.sent(fixture).first)
    #expect(mail.plainText.contains("in this browser: Firefox on Linux.") && !mail.plainText.contains("203.0.113.7"))
  }

  @Test("if mail cannot be sent to the address, the change takes place without a notification")
  func unusableAddress() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accounts.edit("ada", email: "adá@example.com")
    _ = try await self.sent(fixture)
    try await fixture.server.accounts.disable("ada")
    #expect(try await self.sent(fixture).isEmpty)
    #expect(try await fixture.server.accounts.account(named: Username("ada"))?.disabledAt != nil)
  }
}
