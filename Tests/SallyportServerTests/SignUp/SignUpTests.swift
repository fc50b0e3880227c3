import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Sign-up")
struct SignUpTests {
  private func server(_ policy: SignUpPolicy = .open, perHour: Int = 100) async throws -> TestServer {
    try await TestServer {
      $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) }
      ($0.signUp, $0.signUpsPerHour) = (policy, perHour)
    }
  }

  private func request(
    _ text: String, _ fixture: TestServer, from address: UInt8 = 7
  ) async throws -> (outcome: SignUps.RequestOutcome, mail: [TestMail]) {
    let mailbox = TestMailbox()
    let outcome = try await #require(fixture.server.signUps).request(
      text, from: ClientAddress("203.0.113.\(address)", bytes: [203, 0, 113, address]), origin: .server)
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    return (outcome, mailbox.messages)
  }

  private func token(_ link: String?) throws -> String {
    let link = try #require(link)
    #expect(link.hasPrefix("https://id.example/account/sign-up/link?token=slp_su_"))
    return String(try #require(link.split(separator: "=").last))
  }

  private func proof(_ email: String, _ fixture: TestServer, from address: UInt8 = 7) async throws -> String {
    let token = try self.token(try await self.request(email, fixture, from: address).mail.first?.link)
    return try await #require(fixture.server.signUps?.consume(token)).reveal()
  }

  private func create(
    _ username: String, _ proof: String, _ fixture: TestServer, name: String = "", password: String = TestServer.otherPassword,
    repeated: String? = nil
  ) async throws -> String {
    let new = SignUps.NewAccount(
      username: username, name: name, password: Secret(password), repeatedPassword: Secret(repeated ?? password))
    return switch try await #require(fixture.server.signUps).create(new, proof: proof, from: .server) {
    case .done: "done"
    case .rejected(_, let failure): "\(failure)"
    case .accountExists: "accountExists"
    case .expired: "expired"
    }
  }

  @Test("the link leads to an account with a verified address, and no account exists before that")
  func creates() async throws {
    let fixture = try await self.server()
    let before = try await fixture.server.accounts.list().count
    let proof = try await self.proof("carol@example.com", fixture)
    #expect(try await fixture.server.accounts.list().count == before)
    #expect(try await self.create("Carol", proof, fixture, name: " Carol C. ") == "done")
    let account = try #require(try await fixture.server.accounts.account(named: Username("carol")))
    #expect(account.name == "Carol C." && account.email == "carol@example.com" && account.emailVerifiedAt == fixture.clock.now)
    guard case .success = try await fixture.server.accounts.check(Secret(TestServer.otherPassword), of: account) else {
      Issue.record("the chosen password must be accepted")
      return
    }
    #expect(try await self.create("dora", proof, fixture) == "expired")
    let records = try await fixture.store.read { (tx) throws(StoreError) in try tx.auditRecords(AuditQuery(limit: 100)) }
    let events = records.filter { $0.reason == .signUp }.map(\.event)
    #expect(Set(events) == [.signUpLinkIssued, .accountAdded, .emailVerified] && events.count == 3)
  }

  @Test("the outcome does not reveal accounts; the owner of a verified address gets a mail with the user name and no link")
  func doesNotRevealAccounts() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accounts.edit("ada", isEmailVerified: true)
    let known = try await self.request("ADA@example.com", fixture)
    #expect(known.outcome == .accepted && known.mail.map(\.subject) == ["You already have an account at Example Accounts"])
    #expect(known.mail.first?.link == nil && known.mail.first?.plainText.contains("Your user name is ada.") == true)
    // Nobody has verified this address, so it may be the address of another user.
    let unverified = try await self.request("bob@example.com", fixture)
    #expect(unverified.outcome == .accepted && unverified.mail.first?.link != nil)
    for text in ["", "x", "a b@example.com", "a@b@c", "a@example.com\nBcc: x@example.com", String(repeating: "x", count: 300)] {
      let result = try await self.request(text, fixture)
      #expect(result.outcome == .invalid && result.mail.isEmpty)
    }
  }

  @Test("a link can be used until it expires or an account is created; made-up tokens and proofs are rejected")
  func singleUse() async throws {
    let fixture = try await self.server()
    let signUps = try #require(fixture.server.signUps)
    let token = try self.token(try await self.request("carol@example.com", fixture).mail.first?.link)
    for wrong in [
      "", "slp_su_", token + "x", OpaqueToken.random(.signUp).text.reveal(), OpaqueToken.random(.accountLink).text.reveal(),
    ] {
      #expect(try await signUps.find(wrong) == nil)
      #expect(try await signUps.consume(wrong) == nil)
    }
    #expect(try await signUps.find(token)?.email == "carol@example.com")
    let proofs = try await withThrowingTaskGroup(of: Secret<String>?.self) { group in
      for _ in 0..<50 { group.addTask { try await signUps.consume(token) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(proofs.count { $0 != nil } == 50)
    #expect(try await self.create("carol", #require(proofs.last??.reveal()), fixture) == "done")
    #expect(try await self.create("caroline", #require(proofs.first??.reveal()), fixture) == "expired")
    #expect(try await signUps.find(token) == nil)
    #expect(try await signUps.consume(token) == nil)
    let late = try self.token(try await self.request("dora@example.com", fixture).mail.first?.link)
    fixture.clock.advance(by: .seconds(86_400))
    #expect(try await signUps.consume(late) == nil)
    let proof = try await self.proof("erin@example.com", fixture)
    for wrong in ["", "x", String(proof.dropLast()), token] {
      #expect(try await self.create("erin", wrong, fixture) == "expired")
    }
    fixture.clock.advance(by: SignUps.proofLifetime)
    #expect(try await self.create("erin", proof, fixture) == "expired")
  }

  @Test("a used link gives a browser that lost the response another proof, which expires together with the first one")
  func repeatedUse() async throws {
    let fixture = try await self.server()
    let signUps = try #require(fixture.server.signUps)
    let token = try self.token(try await self.request("carol@example.com", fixture).mail.first?.link)
    fixture.clock.advance(by: .seconds(86_399))
    _ = try #require(try await signUps.consume(token))
    fixture.clock.advance(by: SignUps.proofLifetime - .seconds(1))
    #expect(try await signUps.find(token)?.email == "carol@example.com")
    let proof = try #require(try await signUps.consume(token)).reveal()
    #expect(try await self.create("carol", proof, fixture, password: "short").hasPrefix("password("))
    fixture.clock.advance(by: .seconds(1))
    #expect(try await signUps.find(token) == nil)
    #expect(try await signUps.consume(token) == nil)
    #expect(try await self.create("carol", proof, fixture) == "expired")
  }

  @Test("of 20 users who choose the same name at the same time, one gets it, and the others can choose another one")
  func raceForName() async throws {
    let fixture = try await self.server()
    var proofs: [String] = []
    for number in 0..<20 {
      proofs.append(try await self.proof("user\(number)@example.com", fixture, from: UInt8(number)))
    }
    let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
      for proof in proofs { group.addTask { try await self.create("carol", proof, fixture) } }
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == "done" } == 1 && outcomes.count { $0 == "usernameTaken" } == 19)
    var retries: [String] = []
    for (number, proof) in proofs.enumerated() { retries.append(try await self.create("user\(number)", proof, fixture)) }
    #expect(retries.count { $0 == "done" } == 19 && retries.count { $0 == "expired" } == 1)
  }

  @Test("a form that is submitted 20 times at the same time creates one account, and 19 submissions are rejected as expired")
  func repeatedSubmission() async throws {
    let fixture = try await self.server()
    let proof = try await self.proof("carol@example.com", fixture)
    let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await self.create("carol", proof, fixture) } }
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == "done" } == 1 && outcomes.count { $0 == "expired" } == 19, "\(outcomes)")
  }

  @Test("two links for one address create one account; an operator can invite two users with the same address")
  func oneAddress() async throws {
    let fixture = try await self.server()
    let (first, second) = (
      try await self.proof("carol@example.com", fixture), try await self.proof("Carol@example.com", fixture)
    )
    #expect(try await self.create("carol", first, fixture) == "done")
    #expect(try await self.create("carol2", second, fixture) == "accountExists")
    let signUps = try #require(fixture.server.signUps)
    let token = try self.token(try await signUps.invite("carol@example.com", isMailed: false).reveal())
    let proof = try await #require(signUps.consume(token)).reveal()
    #expect(try await self.create("carol2", proof, fixture) == "done")
  }

  @Test("an invitation that the operator delivers proves nothing about the address, and an invitation that is mailed verifies it")
  func invitations() async throws {
    let fixture = try await self.server(.invite)
    let signUps = try #require(fixture.server.signUps)
    #expect(try await self.request("carol@example.com", fixture).outcome == .invalid)
    for isMailed in [false, true] {
      let token = try self.token(try await signUps.invite(" carol@example.com ", isMailed: isMailed).reveal())
      let mailbox = TestMailbox()
      _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
      #expect(mailbox.messages.map(\.recipient) == (isMailed ? ["<carol@example.com>"] : []))
      let proof = try await #require(signUps.consume(token)).reveal()
      #expect(try await self.create("carol\(isMailed)", proof, fixture) == "done")
      let account = try await fixture.server.accounts.account(named: Username("carol\(isMailed)"))
      #expect((account?.emailVerifiedAt != nil) == isMailed && account?.email == "carol@example.com")
    }
    await #expect(throws: SignUpError.invalidEmail) { try await signUps.invite("carol", isMailed: false) }
  }

  @Test("the links of visitors become invalid when sign-up is no longer open, and all links when sign-up is off")
  func policies() async throws {
    let fixture = try await self.server()
    let token = try self.token(try await self.request("carol@example.com", fixture).mail.first?.link)
    let accounts = fixture.server.accounts
    func signUps(_ policy: SignUpPolicy) -> SignUps {
      SignUps(accounts: accounts, issuer: fixture.server.configuration.issuer, policy: policy, masterKey: fixture.masterKey)
    }
    let invitation = try self.token(try await signUps(.invite).invite("dora@example.com", isMailed: false).reveal())
    #expect(try await signUps(.invite).find(token) == nil)
    #expect(try await signUps(.invite).isClosed(token))
    #expect(try await !signUps(.open).isClosed(token))
    #expect(try await !signUps(.invite).isClosed("slp_su_x"))
    #expect(try await signUps(.invite).find(invitation) != nil)
    #expect(try await signUps(.off).find(invitation) == nil)
    await #expect(throws: SignUpError.off) { try await signUps(.off).invite("dora@example.com", isMailed: false) }
    #expect(try await self.server(.off).server.signUps == nil)
    // Without mail, the server cannot send links.
    #expect(try await TestServer { $0.signUp = .open }.server.signUps == nil)
  }

  @Test(
    """
    requests are limited per network, per email address, and in total, for all servers together; the response does not show \
    that an email address has reached its limit
    """)
  func limits() async throws {
    let fixture = try await self.server(perHour: 14)
    let maximum = SignUps.maximumRequests
    var sent = 0
    for number in 0..<5 { sent += try await self.request("carol@example.com", fixture, from: UInt8(number)).mail.count }
    #expect(sent == maximum.address)
    for _ in 0..<2 {
      fixture.clock.advance(by: .seconds(3_600))
      for number in 0..<5 {
        let result = try await self.request("Carol@example.com", fixture, from: UInt8(number))
        #expect(result.outcome == .accepted)
        sent += result.mail.count
      }
    }
    #expect(sent == maximum.addressAndDay)
    fixture.clock.advance(by: .seconds(3_600))
    let other = try #require(try fixture.otherProcess().signUps)
    let address = ClientAddress("203.0.113.9", bytes: [203, 0, 113, 9])
    for number in 0..<maximum.network {
      #expect(try await other.request("a\(number)@example.com", from: address, origin: .server) == .accepted)
    }
    #expect(try await self.request("b@example.com", fixture, from: 9).outcome == .throttled)
    // The rest of the 14 requests per hour that all servers accept together.
    for number in 0..<(14 - maximum.network) {
      #expect(try await self.request("c\(number)@example.com", fixture, from: 10).outcome == .accepted)
    }
    let queued = try await fixture.store.read { (tx) throws(StoreError) in try tx.mails().count }
    #expect(try await self.request("d@example.com", fixture, from: 11).outcome == .overloaded)
    #expect(try await fixture.store.read { (tx) throws(StoreError) in try tx.mails().count } == queued)
    fixture.clock.advance(by: .seconds(3_600))
    #expect(try await self.request("d@example.com", fixture, from: 11).mail.count == 1)
  }

  @Test("invalid names and passwords are rejected, and a link cannot be used to search for user names")
  func rejections() async throws {
    let fixture = try await self.server()
    let proof = try await self.proof("carol@example.com", fixture)
    for name in [
      "", " ", "a b", "-carol", ".", "carol@other.example", "ca\u{202E}rol", "x/y", "\u{301}ada", "\u{94D}a", "\u{903}a",
      String(repeating: "x", count: 65),
    ] {
      #expect(try await self.create(name, proof, fixture) == "usernameInvalid", "\(name)")
    }
    #expect(try await self.create("ADA", proof, fixture) == "usernameTaken")
    #expect(try await self.create("carol", proof, fixture, name: "a\nb") == "nameInvalid")
    #expect(try await self.create("carol", proof, fixture, repeated: "other") == "entriesDiffer")
    #expect(try await self.create("carol", proof, fixture, password: "short").hasPrefix("password("))
    #expect(try await self.create("carol", proof, fixture, password: "carol@example.com carol").hasPrefix("password("))
    var outcomes: [String] = []
    // With the attempts above, these exceed the limit of 30 attempts with one link.
    for _ in 0..<20 { outcomes.append(try await self.create("ada", proof, fixture)) }
    #expect(Set(outcomes) == ["usernameTaken", "throttled"])
    #expect(try await self.create("carol", proof, fixture) == "throttled")
    let second = try await self.proof("dora@example.com", fixture)
    #expect(try await self.create("Dora@example.com", second, fixture) == "done")
    // A combining mark is allowed after the first character.
    let third = try await self.proof("erin@example.com", fixture)
    #expect(try await self.create("\u{915}\u{94D}\u{937}", third, fixture) == "done")
  }
}
