import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Accounts")
struct AccountsTests {
  @Test("taken and invalid names, short and easily guessed passwords, and unknown accounts are rejected")
  func adding() async throws {
    let fixture = try await TestServer()
    let accounts = fixture.server.accounts
    let password = Secret(TestServer.password)
    for taken in ["ada", "ADA", " ada ", "A\u{64}a"] {
      await #expect(throws: AccountError.usernameTaken) { try await accounts.add(username: taken, password: password) }
    }
    for invalid in ["", "  ", "a\u{0}b", "a\nb", "\u{301}eve", "\u{94D}a", "\u{20DD}a", String(repeating: "x", count: 129)] {
      await #expect(throws: AccountError.invalidUsername) { try await accounts.add(username: invalid, password: password) }
    }
    await #expect(throws: AccountError.password(.tooShort(minimumLength: 15))) {
      try await accounts.add(username: "eve", password: Secret("correct horse"))
    }
    for (username, password) in [
      ("evelina.smith", "evelina.smith.1"), ("eve", "example accounts"), ("eve", "https://id.example"),
    ] {
      await #expect(throws: AccountError.password(.tooEasyToGuess), "\(password)") {
        try await accounts.add(username: username, password: Secret(password))
      }
    }
    await #expect(throws: AccountError.password(.tooEasyToGuess)) {
      try await accounts.setPassword(Secret("ada.ada@example.com"), of: "ada")
    }
    await #expect(throws: AccountError.notFound) { try await accounts.disable("nobody") }
    await #expect(throws: AccountError.notFound) { try await accounts.setPassword(password, of: "nobody") }
    await #expect(throws: AccountError.invalidEmail) {
      try await accounts.add(username: "eve", password: password, email: "eve at example.com")
    }
    await #expect(throws: AccountError.invalidName) {
      try await accounts.add(username: "eve", password: password, name: "Eve\u{7}")
    }
    #expect(try await accounts.list().map(\.username.value) == ["ada", "bob"])
    let store = FailingStore(fixture.store)
    #expect(try await store.allAccounts(pageSize: 1).map(\.username.value) == ["ada", "bob"])
    #expect(store.reads == 3)
    let eve = try await accounts.add(username: "eve", password: password, name: " Eve ", email: "")
    #expect(eve.name == "Eve" && eve.email == nil)
  }

  @Test("user names with composed and decomposed letters are equal")
  func normalization() {
    #expect(Username("Ren\u{E9}") == Username("rene\u{301}"))
    #expect(Username("Ren\u{E9}")?.value.utf8.elementsEqual("ren\u{E9}".utf8) == true)
  }

  @Test("skipping the normalization of ASCII names does not change the result, for each ASCII character in each position")
  func plainNames() {
    let nonASCII: [UnicodeScalar] = ["\u{80}", "\u{A0}", "\u{301}", "\u{212A}", "\u{130}", "\u{DF}", "\u{2003}"]
    for scalar in (0...0x7F).map({ UnicodeScalar(UInt8($0)) }) + nonASCII {
      for text in ["\(scalar)", "a\(scalar)", "\(scalar)a", "a\(scalar)b", "\(scalar)\(scalar)"] {
        let bytes = Username.normalized(text).map { Array($0.utf8) }
        #expect(Username(text).map { Array($0.value.utf8) } == bytes, "\(text.debugDescription)")
      }
    }
    for length in [0, 1, 127, 128, 129] {
      let text = String(repeating: "a", count: length)
      #expect(Username(text)?.value == Username.normalized(text))
    }
  }

  @Test("only a correct password renews a hash with outdated cost parameters, and the renewal does not count as a change")
  func renewedHash() async throws {
    let fixture = try await TestServer()
    let before = try await fixture.useEarlierHash(of: "ada")
    _ = try await fixture.server.accounts.check(Secret("wrong horse"), of: before)
    #expect(try await fixture.account("ada").passwordHash == before.passwordHash)

    fixture.clock.advance(by: .seconds(60))
    guard
      case .success(let account) = try await fixture.server.accounts.check(Secret(TestServer.password), of: before)
    else {
      Issue.record("the password was rejected")
      return
    }
    let after = try await fixture.account("ada")
    #expect(after.passwordHash != before.passwordHash && !TestPasswordHasher().needsRehash(after.passwordHash))
    #expect(after.passwordChangedAt == before.passwordChangedAt)
    #expect(try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server) != nil)
    // A concurrent sign-in that was checked against the earlier hash still succeeds.
    #expect(try await fixture.server.sessions.start(for: before, by: ["pwd"], replacing: nil, from: .server) != nil)
  }

  @Test("a sign-in that renews the hash of a password does not undo a concurrent change of the password")
  func changedMeanwhile() async throws {
    // The hasher opens `reached` when it begins to check a password, and then waits until `gate` opens.
    let (gate, reached) = (Gate(), Gate())
    let fixture = try await TestServer(hasher: TestPasswordHasher(gate: gate, reached: reached))
    let before = try await fixture.useEarlierHash(of: "ada")
    let accounts = fixture.server.accounts
    async let signIn = accounts.check(Secret(TestServer.password), of: before)
    await reached.wait()
    fixture.clock.advance(by: .seconds(1))
    try await accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
    let changed = try await fixture.account("ada")
    gate.open()
    guard case .success(let account) = try await signIn else {
      Issue.record("the password was rejected")
      return
    }
    #expect(try await fixture.account("ada").passwordHash == changed.passwordHash)
    #expect(try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server) == nil)
  }
}

extension TestServer {
  fileprivate func account(_ username: String) async throws -> AccountRecord {
    try #require(try await self.server.accounts.list().first { $0.username.value == username })
  }

  /// Stores a hash with outdated cost parameters, and returns the account.
  fileprivate func useEarlierHash(of username: String) async throws -> AccountRecord {
    let account = try await self.account(username)
    try await self.store.write { (tx) throws(StoreError) in
      _ = try tx.renewPasswordHash(
        account.passwordHash, by: TestPasswordHasher.earlierHash(Self.password), of: account.id)
    }
    return try await self.account(username)
  }
}
