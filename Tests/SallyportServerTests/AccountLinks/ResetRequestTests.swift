import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Requests of users who have forgotten their passwords")
struct ResetRequestTests {
  private func server() async throws -> TestServer {
    let fixture = try await TestServer { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }
    _ = try await fixture.server.accounts.edit("ada", isEmailVerified: true)
    return fixture
  }

  /// Sends a request, and delivers the queued mail. Returns the outcome and the recipients of the mail.
  private func request(
    _ text: String, _ fixture: TestServer, from address: UInt8 = 7
  ) async throws -> (outcome: ResetRequests.Outcome, recipients: [String]) {
    let mailbox = TestMailbox()
    let requests = try #require(fixture.server.resetRequests)
    let outcome = try await requests.request(
      text, from: ClientAddress("203.0.113.\(address)", bytes: [203, 0, 113, address]), origin: .server)
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    return (outcome, mailbox.messages.compactMap(\.recipient))
  }

  @Test("a link goes to the verified address, for the user name and for the address in any case")
  func sends() async throws {
    let fixture = try await self.server()
    #expect(try await self.request(" ADA ", fixture).recipients == ["<ada@example.com>"])
    #expect(try await self.request("Ada@Example.com", fixture).recipients == ["<ada@example.com>"])
    #expect(try await self.request(" ada@example.com ", fixture).recipients == ["<ada@example.com>"])
  }

  @Test("the outcome is the same for unknown, disabled, and unverified accounts, and no mail is sent")
  func doesNotRevealAccounts() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accounts.add(
      username: "dan", password: Secret(TestServer.password), email: "dan@example.com")
    _ = try await fixture.server.accounts.edit("dan", isEmailVerified: true)
    try await fixture.server.accounts.disable("dan")
    // Deliver the notifications of these changes, so that only mail for the requests is counted.
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    for text in [
      "nobody", "nobody@example.com", "bob", "bob@example.com", "dan", "dan@example.com", "a\nb",
      String(repeating: "x", count: 999),
    ] {
      let result = try await self.request(text, fixture)
      #expect(result.outcome == .accepted && result.recipients.isEmpty, "\(text.prefix(20))")
    }
  }

  @Test("an account gets at most three links per hour, regardless of the entered text and of the network")
  func limitsAccounts() async throws {
    let fixture = try await self.server()
    var sent = 0
    for number in 0..<8 {
      let result = try await self.request(number.isMultiple(of: 2) ? "ada" : "ada@example.com", fixture, from: UInt8(number))
      #expect(result.outcome == .accepted)
      sent += result.recipients.count
    }
    #expect(sent == ResetRequests.limits.account)
    fixture.clock.advance(by: ResetRequests.window)
    #expect(try await self.request("ada", fixture).recipients.count == 1)
  }

  @Test("a network must wait after 20 requests per hour, and other networks are not affected; servers share the counters")
  func limitsNetworks() async throws {
    let fixture = try await self.server()
    let other = try #require(try fixture.otherProcess().resetRequests)
    let address = ClientAddress("203.0.113.7", bytes: [203, 0, 113, 7])
    for number in 0..<ResetRequests.limits.network {
      #expect(try await other.request("user \(number)", from: address, origin: .server) == .accepted)
    }
    #expect(try await self.request("ada", fixture).outcome == .throttled)
    #expect(try await self.request("ada", fixture, from: 8).recipients.count == 1)
  }

  @Test("a request ends neither a link that an operator delivers nor the proof of a link that the user has used")
  func keepsOtherLinks() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    func token(_ link: String) throws -> String { String(try #require(link.split(separator: "=").last)) }
    let delivered = try token(try await links.reset("ada", isMailed: false).reveal())
    let mailbox = TestMailbox()
    let address = ClientAddress("203.0.113.7", bytes: [203, 0, 113, 7])
    for _ in 0..<2 {
      _ = try await fixture.server.resetRequests?.request("ada", from: address, origin: .server)
      // Messages that are queued in the same millisecond are sent in any order.
      fixture.clock.advance(by: .seconds(1))
    }
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    let mailed = try mailbox.messages.map { try token(try #require($0.link)) }
    #expect(try await links.find(delivered) != nil)
    // The second mailed link has replaced the first one.
    #expect(try await links.find(mailed[0]) == nil)
    #expect(try await links.find(mailed[1]) != nil)
    let proof = try #require(try await links.consume(mailed[1], from: .server)).reveal()
    _ = try await self.request("ada", fixture)
    #expect(try await links.account(forProof: proof)?.username.value == "ada")
    // A new link of the operator ends the delivered link and the proof.
    _ = try await links.reset("ada", isMailed: false)
    #expect(try await links.find(delivered) == nil)
    #expect(try await links.account(forProof: proof) == nil)
  }

  @Test("long email addresses do not share a counter with other long texts")
  func longAddresses() async throws {
    let fixture = try await self.server()
    let long =
      "\(String(repeating: "a", count: 60))@\(String(repeating: "b", count: 60)).\(String(repeating: "c", count: 60)).example"
    _ = try await fixture.server.accounts.edit("ada", email: long, isEmailVerified: true)
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    for number in 0..<8 { _ = try await self.request(String(repeating: "x", count: 200 + number), fixture) }
    #expect(try await self.request(long, fixture).recipients == ["<\(long)>"])
  }

  @Test("an address gets at most twelve links within 24 hours, even if two accounts share it")
  func limitsDays() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accounts.edit("bob", email: "ADA@example.com", isEmailVerified: true)
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    var sent = 0
    // The window is one hour, so the loop ends within the 24 hours.
    for _ in 0..<23 {
      for name in ["ada", "bob"] { sent += try await self.request(name, fixture).recipients.count }
      fixture.clock.advance(by: ResetRequests.window)
    }
    #expect(sent == RecipientLimits.maximumPerDay)
    fixture.clock.advance(by: ResetRequests.window)
    #expect(try await self.request("ada", fixture).recipients.count == 1)
  }

  @Test("a server without mail accepts no requests")
  func withoutMail() async throws {
    let fixture = try await TestServer()
    #expect(fixture.server.resetRequests == nil && fixture.server.mailDeliveries == nil)
  }
}
