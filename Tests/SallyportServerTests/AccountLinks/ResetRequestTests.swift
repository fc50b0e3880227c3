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

  /// Sends a request, and returns the recipients of the mail that it causes.
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
  }

  @Test("the outcome is the same for unknown, disabled, and unverified accounts, and no mail is sent")
  func doesNotRevealAccounts() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accounts.add(
      username: "dan", password: Secret(TestServer.password), email: "dan@example.com")
    _ = try await fixture.server.accounts.edit("dan", isEmailVerified: true)
    try await fixture.server.accounts.disable("dan")
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

  @Test("an account gets at most three links per hour, whichever text is entered and from wherever")
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

  @Test("without mail, there is nothing to request")
  func withoutMail() async throws {
    let fixture = try await TestServer()
    #expect(fixture.server.resetRequests == nil && fixture.server.mailDeliveries == nil)
  }
}
