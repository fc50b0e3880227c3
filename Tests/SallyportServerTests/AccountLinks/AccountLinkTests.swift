import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("One-time links")
struct AccountLinkTests {
  private let password = Secret(TestServer.otherPassword)

  private func server() async throws -> TestServer {
    try await TestServer { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }
  }

  /// Returns the token in a link.
  private func token(_ link: Secret<String>) throws -> String {
    let link = link.reveal()
    #expect(link.hasPrefix("https://id.example/account/link?token="))
    return String(try #require(link.split(separator: "=").last))
  }

  private func account(_ fixture: TestServer, _ username: String = "ada") async throws -> AccountRecord {
    try #require(try await fixture.server.accounts.account(named: Username(username)))
  }

  /// Sets a password with the proof that `consume` returned for a used link, and describes the outcome.
  private func setPassword(_ password: Secret<String>, _ proof: Secret<String>?, _ fixture: TestServer) async throws -> String {
    let outcome = try await fixture.server.accountLinks.setPassword(
      password, repeated: password, proof: proof?.reveal(), from: .server)
    switch outcome {
    case .done: return "done"
    case .rejected(_, let reason): return "\(reason)"
    case .expired: return "expired"
    }
  }

  @Test("the mail with an operator's link for a new password says that an operator sent it")
  func operatorsMail() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accountLinks.reset("ada", isMailed: true)
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    let text = try #require(mailbox.messages.first?.plainText)
    #expect(text.contains("An operator of Example Accounts sent you this link to choose a new password for your account ada:"))
    #expect(text.contains("If you did not expect this, contact the operator of Example Accounts."))
    #expect(!text.contains("Someone") && !text.contains("ignore"))
  }

  @Test("no user is invited whose name begins with a combining mark")
  func combiningMark() async throws {
    let fixture = try await TestServer()
    await #expect(throws: AccountLinkError.invalidUsername) {
      try await fixture.server.accountLinks.invite("\u{301}carol", isMailed: false)
    }
    #expect(try await fixture.server.accounts.list().allSatisfy { !$0.username.beginsWithCombiningMark })
  }

  @Test("an invited user has no password, chooses one with the link, and can then sign in")
  func invites() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let token = try self.token(try await links.invite("Carol", name: "Carol C.", email: "carol@example.com", isMailed: false))
    let invited = try await self.account(fixture, "carol")
    #expect(!invited.hasPassword && invited.name == "Carol C." && invited.emailVerifiedAt == nil)
    for guess in ["", AccountRecord.noPassword] {
      guard case .rejected(.wrongPassword) = try await fixture.server.accounts.check(Secret(guess), of: invited) else {
        Issue.record("an account without a password must reject every password")
        continue
      }
    }
    let proof = try #require(try await links.consume(token, from: .server))
    #expect(try await self.setPassword(self.password, proof, fixture) == "done")
    guard case .success = try await fixture.server.accounts.check(self.password, of: self.account(fixture, "carol")) else {
      Issue.record("the chosen password must be accepted")
      return
    }
    // The operator got the link, so its use does not verify the address.
    #expect(try await self.account(fixture, "carol").emailVerifiedAt == nil)
    await #expect(throws: AccountLinkError.hasPassword) { try await links.invite("carol", isMailed: false) }
  }

  @Test("an invitation of an existing user with another address is an error, and changes nothing")
  func otherAddress() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let token = try self.token(try await links.invite("carol", email: "carol@example.com", isMailed: true))
    let before = try await self.account(fixture, "carol")
    await #expect(throws: AccountLinkError.otherAddress) {
      try await links.invite("carol", name: "Eve", email: "eve@example.com", isMailed: true)
    }
    #expect(try await self.account(fixture, "carol") == before)
    // The earlier link still works.
    #expect(try await links.consume(token, from: .server) != nil)
    // An invitation with the stored address is allowed, and one with any address if no address is stored.
    _ = try await links.invite("carol", email: "carol@example.com", isMailed: false)
    _ = try await fixture.server.accounts.edit("carol", email: "")
    _ = try await links.invite("carol", email: "eve@example.com", isMailed: false)
    #expect(try await self.account(fixture, "carol").email == "eve@example.com")
  }

  @Test("a mailed link verifies the address, unless the address has changed since")
  func verifies() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let token = try self.token(try await links.reset("ada", isMailed: true))
    _ = try #require(try await links.consume(token, from: .server))
    #expect(try await self.account(fixture).emailVerifiedAt == fixture.clock.now)
    let second = try self.token(try await links.reset("ada", isMailed: true))
    _ = try await fixture.server.accounts.edit("ada", email: "new@example.com")
    #expect(try await links.consume(second, from: .server) == nil)
    #expect(try await self.account(fixture).emailVerifiedAt == nil)
  }

  @Test(
    """
    a mailed link for an account without an address, and any link for a disabled or unknown account, is an error; no account \
    is added
    """)
  func withoutAddress() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    await #expect(throws: AccountLinkError.noAddress) { try await links.invite("carol", isMailed: true) }
    #expect(try await fixture.server.accounts.account(named: Username("carol")) == nil)
    _ = try await fixture.server.accounts.edit("ada", email: "")
    await #expect(throws: AccountLinkError.noAddress) { try await links.reset("ada", isMailed: true) }
    try await fixture.server.accounts.disable("ada")
    await #expect(throws: AccountLinkError.disabled) { try await links.reset("ada", isMailed: false) }
    await #expect(throws: AccountError.notFound) { try await links.reset("nobody", isMailed: false) }
  }

  @Test("a link is found until it expires or its password is set; made-up and changed tokens are rejected")
  func singleUse() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let token = try self.token(try await links.reset("ada", isMailed: false))
    for wrong in ["", "x", "slp_al_", String(token.dropLast()), token + "x", OpaqueToken.random(.accountLink).text.reveal()] {
      #expect(try await links.find(wrong) == nil)
      #expect(try await links.consume(wrong, from: .server) == nil)
    }
    #expect(try await links.find(token)?.account.username.value == "ada")
    let proof = try #require(try await links.consume(token, from: .server))
    #expect(try await self.setPassword(self.password, proof, fixture) == "done")
    #expect(try await links.find(token) == nil)
    #expect(try await links.consume(token, from: .server) == nil)
    let expired = try self.token(try await links.reset("ada", isMailed: false))
    fixture.clock.advance(by: .seconds(86_400))
    #expect(try await links.consume(expired, from: .server) == nil)
    let disabled = try self.token(try await links.reset("ada", isMailed: false))
    try await fixture.server.accounts.disable("ada")
    #expect(try await links.consume(disabled, from: .server) == nil)
  }

  @Test("a used link gives a browser that lost the response another proof, which expires together with the first one")
  func repeatedUse() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    for isLate in [false, true] {
      let token = try self.token(try await links.reset("ada", isMailed: true))
      fixture.clock.advance(by: .seconds(3_599))
      _ = try #require(try await links.consume(token, from: .server))
      fixture.clock.advance(by: AccountLinks.proofLifetime - .seconds(1))
      #expect(try await links.find(token)?.account.username.value == "ada")
      let proof = try #require(try await links.consume(token, from: .server))
      if isLate { fixture.clock.advance(by: .seconds(1)) }
      #expect(try await self.setPassword(self.password, proof, fixture) == (isLate ? "expired" : "done"))
      #expect(try await links.find(token) == nil)
      #expect(try await links.consume(token, from: .server) == nil)
    }
    // The first use verified the address.
    #expect(try fixture.database.query("SELECT count(*) FROM audit WHERE event = 'email-verified'") == [["1"]])
  }

  @Test("a used link gives no proof after a new link or email address has replaced it, or after its account was disabled")
  func replacedAfterUse() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    for change in ["link", "address", "account"] {
      let token = try self.token(try await links.reset("ada", isMailed: false))
      _ = try #require(try await links.consume(token, from: .server))
      switch change {
      case "link": _ = try await links.reset("ada", isMailed: false)
      case "address": _ = try await fixture.server.accounts.edit("ada", email: "new@example.com")
      default: try await fixture.server.accounts.disable("ada")
      }
      #expect(try await links.consume(token, from: .server) == nil, "\(change)")
    }
  }

  @Test("a new link or email address makes the proof of a used link invalid, but the expiration of the link does not")
  func endsProofs() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    for change in ["link", "address", "nothing"] {
      let token = try self.token(try await links.reset("ada", isMailed: true))
      // A mailed link for a new password expires after an hour.
      fixture.clock.advance(by: .seconds(3_599))
      let proof = try #require(try await links.consume(token, from: .server))
      switch change {
      case "link": _ = try await links.reset("ada", isMailed: false)
      case "address": _ = try await fixture.server.accounts.edit("ada", email: "new@example.com")
      default:
        fixture.clock.advance(by: AccountLinks.proofLifetime - .seconds(1))
        _ = try await fixture.store.removeExpired(before: fixture.clock.now, limit: 100)
      }
      let outcome = try await self.setPassword(self.password, proof, fixture)
      #expect(outcome == (change == "nothing" ? "done" : "expired"), "\(change)")
    }
  }

  @Test("a new link replaces earlier ones with the same purpose only")
  func replaces() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let invitation = try self.token(try await links.invite("carol", isMailed: false))
    let first = try self.token(try await links.reset("carol", isMailed: false))
    let second = try self.token(try await links.reset("carol", isMailed: false))
    #expect(try await links.find(first) == nil)
    #expect(try await links.find(second) != nil)
    #expect(try await links.find(invitation) != nil)
  }

  @Test("of 50 concurrent uses of one link, each gets a proof, and one sets a password")
  func race() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let token = try self.token(try await links.reset("ada", isMailed: false))
    let proofs = try await withThrowingTaskGroup(of: Secret<String>?.self) { group in
      for _ in 0..<50 { group.addTask { try await links.consume(token, from: .server) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(proofs.count { $0 != nil } == 50)
    let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
      for proof in proofs { group.addTask { try await self.setPassword(self.password, proof, fixture) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == "done" } == 1 && outcomes.count { $0 == "expired" } == 49, "\(outcomes)")
  }

  @Test("of 20 concurrent uses of two valid proofs for one account, one sets a password")
  func raceOfResets() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    // The proof of an invitation and the proof of a reset: two resets would not have two valid proofs, because a new
    // link replaces earlier ones with the same purpose.
    let invitation = try await links.consume(try self.token(try await links.invite("carol", isMailed: false)), from: .server)
    let reset = try await links.consume(try self.token(try await links.reset("carol", isMailed: false)), from: .server)
    #expect(try await links.account(forProof: invitation?.reveal()) != nil)
    #expect(try await links.account(forProof: reset?.reveal()) != nil)
    let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<20 {
        let proof = number.isMultiple(of: 2) ? invitation : reset
        group.addTask { try await self.setPassword(self.password, proof, fixture) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == "done" } == 1 && outcomes.count { $0 == "expired" } == 19, "\(outcomes)")
  }

  @Test("the mail of an invitation says when its link expires")
  func expiryInMail() async throws {
    let fixture = try await self.server()
    _ = try await fixture.server.accountLinks.invite("carol", email: "carol@example.com", isMailed: true)
    let mailbox = TestMailbox()
    _ = try await fixture.server.mailDeliveries?.sendDue(by: mailbox)
    let expiry = MailTime(fixture.clock.now + .seconds(7 * 86_400)).text
    #expect(try #require(mailbox.messages.first).plainText.contains(expiry))
  }

  @Test("a proof is bound to its account and password, and expires after 15 minutes")
  func proofs() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    func proof() async throws -> Secret<String>? {
      try await links.consume(try self.token(try await links.reset("ada", isMailed: false)), from: .server)
    }
    let late = try await proof()
    fixture.clock.advance(by: .seconds(900))
    #expect(try await self.setPassword(self.password, late, fixture) == "expired")
    let old = try await proof()
    try await fixture.server.accounts.setPassword(Secret("a third horse with no battery"), of: "ada")
    #expect(try await self.setPassword(self.password, old, fixture) == "expired")
    #expect(try await self.setPassword(self.password, nil, fixture) == "expired")
    #expect(try await self.setPassword(self.password, Secret("made up"), fixture) == "expired")
    // A user who signed in with a weak password gets a different proof, which is valid only in another form.
    let account = try await self.account(fixture)
    let cookie = try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server)
    let session = try #require(try await fixture.server.sessions.active(cookie?.reveal()))
    let changeProof = fixture.server.passwordSignIn.changeProof(for: session)
    #expect(try await self.setPassword(self.password, changeProof, fixture) == "expired")
  }

  @Test("S-37: a reset ends sessions, grants, device approvals, and other links, starts no session, and keeps passkeys")
  func endsEverything() async throws {
    let fixture = try await self.server()
    let (links, account) = (fixture.server.accountLinks, try await self.account(fixture))
    let cookie = try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server)?.reveal()
    let now = fixture.clock.now
    let code = try await fixture.insertCode()
    let tokens = try await fixture.redeem(try await fixture.insertCode())
    try await fixture.store.write { (tx) throws(StoreError) in
      try tx.insert(
        PasskeyRecord(
          id: [1], account: account.id, relyingPartyID: "id.example", publicKey: [1], aaguid: Array(repeating: 0, count: 16),
          signatureCount: 0, isBackupEligible: false, isBackedUp: false, name: "Phone", createdAt: now))
      let device = DeviceAuthorizationRecord(
        fingerprint: Fingerprint(of: Secret("device code")), userCode: Fingerprint(of: Secret("user code")),
        client: TestClient.loopback.id, scope: "openid", interval: 5, createdAt: now, expiresAt: now + .seconds(600))
      try tx.insert(device)
      let approval = DeviceAuthorizationRecord.Decision.allowed(
        account: account.id, authenticatedAt: now, sessionID: nil, methods: ["pwd"])
      guard try tx.decide(approval, onDevice: device.fingerprint, at: now) else { throw .rolledBack }
      try tx.insert(
        AccountLinkRecord(
          fingerprint: OpaqueToken.random(.accountLink).fingerprint, purpose: .emailVerification, account: account.id,
          email: "ada@example.com", createdAt: now, expiresAt: now + .seconds(600)))
    }
    let token = try self.token(try await links.reset("ada", isMailed: false))
    let proof = try await links.consume(token, from: .server)
    #expect(try await fixture.server.sessions.active(cookie) != nil)
    func approvals() async throws -> Int {
      try await fixture.store.read { (tx) throws(StoreError) in try tx.deviceApprovals(of: account.id).count }
    }
    #expect(try await approvals() == 1)
    #expect(try await self.setPassword(self.password, proof, fixture) == "done")
    // The grants of the code and of the tokens were revoked.
    #expect(try fixture.revocations() == ["passwordChanged", "passwordChanged"])
    #expect(try await approvals() == 0)
    await #expect(throws: TokenError.self) { try await fixture.redeem(code) }
    await #expect(throws: TokenError.grantEnded) { try await fixture.refresh(try #require(tokens.refreshToken)) }
    #expect(try await fixture.server.sessions.active(cookie) == nil)
    #expect(try fixture.database.query("SELECT count(*) FROM account_link") == [["0"]])
    #expect(try fixture.database.query("SELECT count(*) FROM browser_session WHERE ended_at IS NULL") == [["0"]])
    #expect(try await fixture.server.accounts.passkeys(of: "ada").count == 1)
  }

  @Test("a password that the policy rejects changes nothing, and the proof can be used again")
  func policy() async throws {
    let fixture = try await self.server()
    let links = fixture.server.accountLinks
    let proof = try await links.consume(try self.token(try await links.reset("ada", isMailed: false)), from: .server)
    #expect(try await self.setPassword(Secret("short"), proof, fixture).hasPrefix("violation"))
    let differing = try await links.setPassword(self.password, repeated: Secret("x"), proof: proof?.reveal(), from: .server)
    guard case .rejected(_, .entriesDiffer) = differing else {
      Issue.record("different entries must be rejected")
      return
    }
    #expect(try await self.setPassword(self.password, proof, fixture) == "done")
  }
}
