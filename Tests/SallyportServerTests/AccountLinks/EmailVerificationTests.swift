import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Email addresses that users confirm")
struct EmailVerificationTests {
  private func server() async throws -> TestServer {
    try await TestServer { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }
  }

  private func session(_ fixture: TestServer, _ username: String = "ada") async throws -> BrowserSessions.Active {
    let account = try #require(try await fixture.server.accounts.account(named: Username(username)))
    let cookie = try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server)
    return try #require(try await fixture.server.sessions.active(cookie?.reveal()))
  }

  /// Asks for a verification link, and delivers the queued mail.
  /// - Returns: The token and the recipient of the link; nil if no link was sent.
  private func ask(
    for email: String, _ session: BrowserSessions.Active, _ fixture: TestServer
  ) async throws -> (token: String, recipient: String)? {
    let outcome = try await fixture.server.accountLinks.sendEmailVerification(to: email, in: session, from: .server)
    guard outcome == .sent else { return nil }
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    let mail = try #require(mailbox.messages.last)
    return (String(try #require(mail.link?.split(separator: "=").last)), try #require(mail.recipient))
  }

  @Test("the address changes when the user confirms it; the claims then say that it is verified, and the old address is notified")
  func changes() async throws {
    let fixture = try await self.server()
    let session = try await self.session(fixture)
    let link = try #require(try await self.ask(for: "new@example.com", session, fixture))
    #expect(link.recipient == "<new@example.com>")
    #expect(try await fixture.server.accounts.find("ada").email == "ada@example.com")
    #expect(try await fixture.server.accountLinks.confirmEmail(link.token, in: session, from: .server) == .done)
    #expect(try await fixture.server.accountLinks.confirmEmail(link.token, in: session, from: .server) == .nothingToDo)
    let account = try await fixture.server.accounts.find("ada")
    #expect(account.email == "new@example.com" && account.emailVerifiedAt == fixture.clock.now)
    #expect(UserinfoEndpoint.claims(of: account, scope: "openid email").emailVerified == true)
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    #expect(mailbox.messages.map(\.recipient) == ["<ada@example.com>"])
  }

  @Test("only a session of the user who asked can confirm the address, and the link cannot set a password")
  func boundToUser() async throws {
    let fixture = try await self.server()
    let (links, session) = (fixture.server.accountLinks, try await self.session(fixture))
    let link = try #require(try await self.ask(for: "bob@example.com", session, fixture))
    #expect(try await links.confirmEmail(link.token, in: self.session(fixture, "bob"), from: .server) == .nothingToDo)
    #expect(try await links.consume(link.token, from: .server) == nil)
    _ = try await fixture.server.accounts.signOut("ada")
    #expect(try await links.confirmEmail(link.token, in: session, from: .server) == .signedOut)
    #expect(try await links.confirmEmail(link.token, in: self.session(fixture), from: .server) == .done)
  }

  @Test("if the account got an authenticator app after the request, a session with only the password cannot confirm")
  func newFactor() async throws {
    let fixture = try await self.server()
    let (links, session) = (fixture.server.accountLinks, try await self.session(fixture))
    let link = try #require(try await self.ask(for: "new@example.com", session, fixture))
    let (account, now) = (session.account, fixture.clock.now)
    try await fixture.store.write { (tx) throws(StoreError) in
      try tx.insert(TOTPRecord(account: account.id, sealedSecret: [1], lastStep: 0, createdAt: now))
    }
    #expect(try await links.confirmEmail(link.token, in: session, from: .server) == .signInNeeded)
    #expect(try await fixture.server.accounts.find("ada").email == "ada@example.com")
    let cookie = try await fixture.server.sessions.start(
      for: account, by: AuthenticationContext.twoFactors, replacing: nil, from: .server)
    let strong = try #require(try await fixture.server.sessions.active(cookie?.reveal()))
    #expect(try await links.confirmEmail(link.token, in: strong, from: .server) == .done)
  }

  @Test("invalid and already verified addresses, too many requests, and requests in ended sessions are rejected")
  func rejects() async throws {
    let fixture = try await self.server()
    let (links, session) = (fixture.server.accountLinks, try await self.session(fixture))
    #expect(try await links.sendEmailVerification(to: "x@y\nBcc: z@example.com", in: session, from: .server) == .invalid)
    _ = try await fixture.server.accounts.edit("ada", isEmailVerified: true)
    #expect(try await links.sendEmailVerification(to: "ada@example.com", in: session, from: .server) == .unchanged)
    for number in 0..<5 {
      #expect(try await links.sendEmailVerification(to: "a\(number)@example.com", in: session, from: .server) == .sent)
    }
    #expect(try await links.sendEmailVerification(to: "a6@example.com", in: session, from: .server) == .throttled)
    _ = try await fixture.server.accounts.signOut("ada")
    #expect(try await links.sendEmailVerification(to: "a7@example.com", in: session, from: .server) == .signedOut)
  }

  @Test("all users together can have 6 verification links a day sent to one address, so that 6 links for new passwords remain")
  func limitPerAddress() async throws {
    let fixture = try await self.server()
    let (ada, bob) = (try await self.session(fixture), try await self.session(fixture, "bob"))
    var recipients: [String] = []
    for (number, session) in [ada, ada, ada, bob, bob, bob].enumerated() {
      let spelling = number.isMultiple(of: 2) ? "carol@example.com" : "Carol@Example.com"
      recipients.append(try #require(try await self.ask(for: spelling, session, fixture)).recipient.lowercased())
    }
    #expect(recipients == Array(repeating: "<carol@example.com>", count: 6))
    let links = fixture.server.accountLinks
    for session in [ada, bob] {
      #expect(try await links.sendEmailVerification(to: "carol@example.com", in: session, from: .server) == .throttledToday)
      #expect(try await links.sendEmailVerification(to: "dave@example.com", in: session, from: .server) == .sent)
    }

    // The owner of the address forgets the password. Links of both kinds count toward the limit of 12 a day, so only 6
    // of these 9 requests lead to mail.
    _ = try await fixture.server.accounts.add(username: "carol", password: Secret(TestServer.password))
    _ = try await fixture.server.accounts.edit("carol", email: "carol@example.com", isEmailVerified: true)
    let resets = try #require(fixture.server.resetRequests)
    let mailbox = TestMailbox()
    for _ in 0..<3 {
      for _ in 0..<3 {
        _ = try await resets.request("carol@example.com", from: .unknown, origin: .server)
        _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
      }
      fixture.clock.advance(by: .seconds(3_600))
    }
    #expect(mailbox.messages.filter { $0.recipient == "<carol@example.com>" }.count == 6)

    fixture.clock.advance(by: .seconds(86_400))
    #expect(try await self.ask(for: "carol@example.com", self.session(fixture, "bob"), fixture) != nil)
  }

  @Test("a user can ask for 5 links an hour and 10 links a day, regardless of the addresses")
  func limitPerDay() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    for hour in 0..<2 {
      let session = try await self.session(fixture)
      for number in 0..<5 {
        #expect(
          try await links.sendEmailVerification(to: "a\(hour)\(number)@example.com", in: session, from: .server) == .sent)
      }
      #expect(
        try await links.sendEmailVerification(to: "b@example.com", in: session, from: .server)
          == (hour == 0 ? .throttled : .throttledToday))
      fixture.clock.advance(by: .seconds(3_600))
    }
    let late = try await self.session(fixture)
    #expect(try await links.sendEmailVerification(to: "c@example.com", in: late, from: .server) == .throttledToday)
    fixture.clock.advance(by: .seconds(86_400 - 7_200))
    let tomorrow = try await self.session(fixture)
    #expect(try await links.sendEmailVerification(to: "c@example.com", in: tomorrow, from: .server) == .sent)
  }

  @Test("an address is unverified until an operator marks it as verified, and a new address is unverified again")
  func operators() async throws {
    let fixture = try await self.server()
    let accounts = fixture.server.accounts
    #expect(UserinfoEndpoint.claims(of: try await accounts.find("ada"), scope: "openid email").emailVerified == false)
    #expect(try await accounts.edit("ada", isEmailVerified: true).emailVerifiedAt == fixture.clock.now)
    #expect(try await accounts.edit("ada", name: "A").emailVerifiedAt == fixture.clock.now)
    #expect(try await accounts.edit("ada", email: "new@example.com").emailVerifiedAt == nil)
    #expect(try await accounts.edit("ada", email: "", isEmailVerified: true).emailVerifiedAt == nil)
  }
}
