import SallyportProtocol
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Queued mail")
struct MailDeliveryTests {
  private func server() async throws -> TestServer {
    try await TestServer { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }
  }

  private func queuedMail(_ fixture: TestServer) async throws -> [MailRecord] {
    try await fixture.store.read { (tx) throws(StoreError) in try tx.mails() }
  }

  @Test("a message with a link is sent once and then removed, and the store contains the link only encrypted")
  func sends() async throws {
    let (fixture, mailbox) = (try await self.server(), TestMailbox())
    let deliveries = try #require(fixture.server.mailDeliveries)
    let link = try await fixture.server.accountLinks.reset("ada", isMailed: true).reveal()
    #expect(try await self.queuedMail(fixture).count == 1)
    #expect(try !fixture.contents().contains(link) && !fixture.contents().contains(try #require(link.split(separator: "=").last)))
    #expect(try await deliveries.sendDue(by: mailbox) == 1)
    #expect(try await deliveries.sendDue(by: mailbox) == 0)
    let mail = try #require(mailbox.messages.first)
    #expect(mail.link == link && mail.html.contains(link) && mail.recipient == "<ada@example.com>")
    #expect(mail.subject == "Choose a new password for Example Accounts" && mail.plainText.contains("your account ada:"))
    #expect(try await self.queuedMail(fixture).isEmpty)
  }

  @Test("a message that fails is tried again after growing delays, and given up when it expires")
  func retries() async throws {
    let (fixture, mailbox) = (try await self.server(), TestMailbox())
    let deliveries = try #require(fixture.server.mailDeliveries)
    // Queues a message that notifies the user.
    try await fixture.server.accounts.disable("ada")
    mailbox.failure = "exit status 75"
    let outcomes = Mutex([MailDeliveries.Outcome]())
    let report: @Sendable (MailDeliveries.Outcome) -> Void = { outcome in outcomes.withLock { $0.append(outcome) } }
    for delay in MailDeliveries.delays {
      #expect(try await deliveries.sendDue(by: mailbox, report: report) == 1)
      fixture.clock.advance(by: delay - .seconds(1))
      #expect(try await deliveries.sendDue(by: mailbox, report: report) == 0)
      fixture.clock.advance(by: .seconds(1))
    }
    // All later delays are two hours.
    while try await deliveries.sendDue(by: mailbox, report: report) == 1 { fixture.clock.advance(by: .seconds(7_200)) }
    let all = outcomes.withLock { $0 }
    #expect(
      all.last == .givenUp(reason: "exit status 75") && all.dropLast().allSatisfy { $0 == .failed(reason: "exit status 75") })
    #expect(try await self.queuedMail(fixture).isEmpty)
  }

  @Test("each attempt to send a message has the same Message-ID, and different messages have different ones")
  func messageID() async throws {
    let fixture = try await self.server()
    let deliveries = try #require(fixture.server.mailDeliveries)
    let transport = RejectingTransport()
    // Queues a message that notifies the user.
    try await fixture.server.accounts.disable("ada")
    for delay in MailDeliveries.delays.prefix(3) {
      #expect(try await deliveries.sendDue(by: transport) == 1)
      fixture.clock.advance(by: delay)
    }
    let messageIDs = transport.messageIDs
    #expect(messageIDs.count == 3 && Set(messageIDs).count == 1 && messageIDs.first?.hasSuffix("@id.example>") == true)
    // Queues a second message.
    try await fixture.server.accounts.enable("ada")
    _ = try await deliveries.sendDue(by: transport)
    #expect(Set(transport.messageIDs).count == 2)
  }

  /// Records each message and rejects it.
  private final class RejectingTransport: MailTransport {
    private let messages = Mutex([TestMail]())

    var messageIDs: [String] { self.messages.withLock { $0.compactMap { $0.header["Message-ID"] } } }

    func send(_ message: [UInt8]) async throws(MailTransportError) {
      self.messages.withLock { $0.append(TestMail(message)) }
      throw MailTransportError(reason: "rejected")
    }
  }

  @Test("a message that a killed process had claimed is sent by another process when the claim has expired")
  func survivesKill() async throws {
    let (fixture, mailbox) = (try await self.server(), TestMailbox())
    let deliveries = try #require(fixture.server.mailDeliveries)
    // Queues a message that notifies the user.
    try await fixture.server.accounts.disable("ada")
    let now = fixture.clock.now
    let claimed = try await fixture.store.write { (tx) throws(StoreError) in
      try tx.claimMail(retry: now + MailDeliveries.lease, at: now)
    }
    let id = try #require(claimed?.id)
    let other = try #require(try fixture.otherProcess().mailDeliveries)
    #expect(try await other.sendDue(by: mailbox) == 0)
    fixture.clock.advance(by: MailDeliveries.lease)
    #expect(try await other.sendDue(by: mailbox) == 1)
    #expect(mailbox.messages.first?.header["Message-ID"]?.contains(id) == true)
    #expect(try await deliveries.sendDue(by: mailbox) == 0)
  }

  @Test("two servers that send at the same time send each message once")
  func sharesQueue() async throws {
    let (fixture, mailbox) = (try await self.server(), TestMailbox())
    let servers = [fixture.server, try fixture.otherProcess()].compactMap(\.mailDeliveries)
    #expect(servers.count == 2)
    // Each change to the account queues a message.
    for _ in 0..<10 {
      try await fixture.server.accounts.disable("ada")
      try await fixture.server.accounts.enable("ada")
    }
    let sent = try await withThrowingTaskGroup(of: Int.self) { group in
      for server in servers { group.addTask { try await server.sendDue(by: mailbox) } }
      return try await group.reduce(0, +)
    }
    #expect(sent == 20 && Set(mailbox.messages.compactMap { $0.header["Message-ID"] }).count == 20)
  }

  @Test("a message that was queued under another key file is not sent")
  func wrongKey() async throws {
    let (fixture, mailbox) = (try await self.server(), TestMailbox())
    _ = try await fixture.server.accountLinks.reset("ada", isMailed: true)
    let key = try #require(MasterKey(MasterKey.randomMaterial()))
    let other = AuthorizationServer(
      configuration: fixture.server.configuration, store: fixture.store, masterKey: key, hasher: TestPasswordHasher(),
      now: fixture.clock.source)
    // The server claims the message, but cannot decrypt the link in it.
    #expect(try await other.mailDeliveries?.sendDue(by: mailbox) == 1)
    #expect(mailbox.messages.isEmpty)
  }

  @Test("the service sends messages that are queued while it runs, even if the transport does not finish the first message")
  func runs() async throws {
    let fixture = try await self.server()
    let deliveries = try #require(fixture.server.mailDeliveries)
    let transport = StuckTransport()
    let running = Task {
      await deliveries.run(by: transport, pause: .milliseconds(20)) { _ in
      } failure: { _ in
      }
    }
    for _ in 0..<3 { _ = try await fixture.server.accountLinks.reset("ada", isMailed: true) }
    for await count in transport.counts where count == 3 { break }
    running.cancel()
    transport.release()
    await running.value
    #expect(transport.started == 3)
  }
}

/// A transport that does not finish its first message until ``release()`` is called.
private final class StuckTransport: MailTransport {
  /// Yields the number of messages so far each time ``send(_:)`` is called.
  let counts: AsyncStream<Int>
  private let continuation: AsyncStream<Int>.Continuation
  private let gate: AsyncStream<Void>
  private let opening: AsyncStream<Void>.Continuation
  private let count = Mutex(0)

  init() {
    (self.counts, self.continuation) = AsyncStream.makeStream()
    (self.gate, self.opening) = AsyncStream.makeStream()
  }

  var started: Int { self.count.withLock { $0 } }

  func release() { self.opening.finish() }

  func send(_ message: [UInt8]) async throws(MailTransportError) {
    let number = self.count.withLock { count in
      count += 1
      return count
    }
    self.continuation.yield(number)
    guard number == 1 else { return }
    for await _ in self.gate {}
  }
}
