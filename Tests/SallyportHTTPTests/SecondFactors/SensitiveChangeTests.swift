import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import SallyportWebAuthn
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("Sensitive changes to an account that has factors besides its password")
struct SensitiveChangeTests {
  private static let origin = "https://id.example"

  /// The forms of sensitive changes. `page` is the page under `/account` that has the CSRF token of the form.
  private static let forms: [(page: String, path: String, fields: [(name: String, value: String)])] = [
    ("", "two-step", [("action", "remove-app")]), ("", "two-step", [("action", "new-codes")]),
    ("", "passkey", [("action", "remove-passkey"), ("passkey", "AAAA")]),
    ("", "passkey", [("action", "rename"), ("passkey", "AAAA")]),
    ("", "passkeys", [("response", "{}"), ("challenge", "x")]),
    ("password", "password", [("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)]),
    ("delete", "delete", [("username", "ada")]),
  ]

  /// The password and the factors of the user `ada`.
  private func state(_ site: Site) async throws -> [String] {
    let account = try #require(try await site.fixture.server.accounts.account(named: Username("ada")))
    return try await site.fixture.store.read { (tx) throws(StoreError) in
      [
        account.passwordHash, "\(String(describing: try tx.totp(of: account.id)))", "\(try tx.passkeys(of: account.id))",
        "\(try tx.recoveryCodes(of: account.id))",
      ]
    }
  }

  /// Starts a session with only the password, before the user adds factors.
  /// - Returns: The browser of the session, and the CSRF tokens of its pages, by path under `/account`.
  private func thief(_ site: Site) async throws -> (TestBrowser, [String: String]) {
    let browser = TestBrowser(site)
    var tokens = ["": try #require(try await browser.openAccount().accountCSRF)]
    for page in ["password", "delete"] { tokens[page] = try await browser.get("/account/\(page)").csrf }
    return (browser, tokens)
  }

  /// Adds an authenticator app without ending the sessions that began with only the password, so that tests show what
  /// such a session cannot do.
  private func insertApp(_ site: Site) async throws {
    let account = try #require(try await site.fixture.server.accounts.account(named: Username("ada")))
    let now = site.fixture.clock.now
    try await site.fixture.store.write { (tx) throws(StoreError) in
      try tx.insert(TOTPRecord(account: account.id, sealedSecret: [1], lastStep: 0, createdAt: now))
    }
  }

  @Test(
    "a stolen session that began with only the password cannot change factors or the password, or delete the account",
    arguments: ["totp", "passkey"])
  func stolenSession(factor: String) async throws {
    try await withSite(configure: { $0.allowsAccountDeletion = true }) { site in
      let (thief, tokens) = try await self.thief(site)
      if factor == "totp" {
        try await self.insertApp(site)
      } else {
        var authenticator = try SoftwareAuthenticator(origin: Self.origin)
        _ = try await TestBrowser(site).addPasskey(&authenticator)
      }
      let before = try await self.state(site)
      for (page, path, fields) in Self.forms {
        let reply = try await thief.post("/account/\(path)", [("csrf", try #require(tokens[page]))] + fields)
        #expect(reply.location?.hasPrefix("https://id.example/account/sign-in?for=") == true, "\(path) \(fields)")
        #expect(try await self.state(site) == before, "\(path) \(fields)")
      }
      for path in ["password", "delete", "authenticator"] {
        let page = try await thief.open("/account/\(path)")
        #expect(page.isSignInPage && page.body.contains("Your password alone is not enough for this change."), "\(path)")
      }
      // Entering the password again leads to the page that asks for a code.
      #expect(try await thief.signIn(try await thief.open("/account/password")).isCodePage)
      // The account page has no form for adding a passkey.
      #expect(try await thief.get("/account").body.contains("data-kind") == false)
      #expect(try await self.state(site) == before)
    }
  }

  @Test("each sensitive change checks the session again in its transaction")
  func checkedInTransaction() async throws {
    try await withSite(configure: { $0.allowsAccountDeletion = true }) { site in
      let (thief, _) = try await self.thief(site)
      let server = site.fixture.server
      let session = try #require(try await server.sessions.active(thief.session))
      let enrollment = try #require(server.twoStepVerification.enrollment(for: session))
      try await self.insertApp(site)
      let before = try await self.state(site)
      #expect(try await server.twoStepVerification.remove(session: session, from: .server) == .signInNeeded)
      #expect(try await server.twoStepVerification.createRecoveryCodes(session: session, from: .server).outcome == .signInNeeded)
      let passkeys = try #require(server.passkeys)
      #expect(try await passkeys.remove([1], session: session, from: .server) == .signInNeeded)
      #expect(try await passkeys.rename([1], session: session, to: "x") == .signInNeeded)
      #expect(try await server.selfService.deleteAccount(of: session, from: .server) == .signInNeeded)
      let proof = try #require(server.passwordSignIn.changeProof(for: session))
      let change = try await server.passwordSignIn.changePassword(
        to: Secret(TestServer.otherPassword), repeated: Secret(TestServer.otherPassword), proof: proof, from: .unknown,
        browser: nil, origin: .server)
      if case .proofInvalid = change {} else { Issue.record("the password was changed") }
      let app = try #require(TestAuthenticatorApp(key: enrollment.secret.reveal()))
      let addition = try await server.twoStepVerification.add(
        code: app.code(at: site.fixture.clock.now), enrollment: enrollment.sealed, session: session, from: .server)
      if case .failed(.signInNeeded) = addition {} else { Issue.record("an app was added") }
      #expect(try await self.state(site) == before)
    }
  }

  @Test("a user who has entered a code can remove a passkey, and can delete the account")
  func strongSession() async throws {
    try await withSite(configure: { $0.allowsAccountDeletion = true }) { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      let browser = TestBrowser(site)
      let codes = try await browser.addPasskey(&authenticator).recoveryCodes
      #expect(codes.count == 10)
      // A user who has lost the passkey signs in with the password, and confirms the removal with a recovery code.
      let lost = TestBrowser(site)
      #expect(try await lost.openAccount().isAccountPage)
      let page = try await lost.signIn(try await lost.open("/account/sign-in?for=passkeys"))
      // The account has no authenticator app, so the field must not have autocomplete="one-time-code".
      #expect(page.isCodePage && !page.body.contains("one-time-code"))
      #expect(try await lost.enter(codes[0], on: page).isAccountPage)
      // The account has unused recovery codes, so adding the app creates no new ones.
      let (app, newCodes) = try await lost.addApp()
      #expect(newCodes.isEmpty)
      let removal = [("passkey", Base64URL.encode(authenticator.credentialID)), ("action", "remove-passkey")]
      let reply = try await lost.postAccount("passkey", removal)
      #expect(try await lost.get(try #require(reply.location)).statusText?.hasPrefix("The passkey was removed") == true)

      let other = TestBrowser(site)
      try await other.openAccount(with: app)
      let form = try await other.open("/account/delete")
      #expect(try await other.submit(form, [("username", "ada")]).body.contains("The account is deleted"))
      #expect(try site.fixture.database.query("SELECT account_id FROM totp").isEmpty)
    }
  }

  @Test("the last passkey of a user without a password and without an upstream cannot be removed")
  func lastPasskey() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      let browser = TestBrowser(site)
      _ = try await browser.signIn(try await browser.open("/account"), with: &authenticator)
      let (account, now) = (try await site.account("ada"), site.fixture.clock.now)
      let setHash: @Sendable (String) async throws -> Void = { hash in
        try await site.fixture.store.write { (tx) throws(StoreError) in
          let recorded = try tx.record(AuditRecord(.passwordChanged, account: account, from: .command, at: now))
          _ = try tx.setPasswordHash(hash, of: account, at: now, recorded)
        }
      }
      try await setHash(AccountRecord.noPassword)
      let removal = [("passkey", Base64URL.encode(authenticator.credentialID)), ("action", "remove-passkey")]
      let rejected = try await browser.postAccount("passkey", removal)
      let text = try await browser.get(try #require(rejected.location)).statusText
      #expect(text?.hasPrefix("The passkey was not removed, because then you could not sign in anymore.") == true)
      try await setHash("any hash")
      let removed = try await browser.postAccount("passkey", removal)
      #expect(try await browser.get(try #require(removed.location)).statusText?.hasPrefix("The passkey was removed") == true)
    }
  }

  @Test("without the app, a passkey for another RP ID does not keep the recovery codes")
  func recoveryCodesOfOldPasskey() async throws {
    try await withSite { site in
      try await self.addPasskeyOfOtherRelyingParty(site)
      let (app, codes) = try await TestBrowser(site).addApp()
      #expect(codes.count == 10)
      let browser = TestBrowser(site)
      try await browser.openAccount(with: app)
      _ = try await browser.postAccount("two-step", [("action", "remove-app")])
      #expect(try site.fixture.database.query("SELECT account_id FROM recovery_code").isEmpty)
      // The password alone is enough to sign in.
      #expect(try await TestBrowser(site).openAccount().isAccountPage)
    }
  }

  @Test("the sealed state of the page that confirms a change is not accepted in another session")
  func confirmationOfOtherSession() async throws {
    try await withSite { site in
      let first = TestBrowser(site)
      let (app, _) = try await first.addApp()
      let second = TestBrowser(site)
      try await second.openAccount(with: app)
      // Ten minutes after a sign-in, a change must be confirmed with a new sign-in.
      site.fixture.clock.advance(by: .seconds(600))
      let page = try await first.signIn(try await first.open("/account/password"))
      let secondPage = try await second.signIn(try await second.open("/account/password"))
      #expect(page.isCodePage && secondPage.isCodePage && page.csrf != secondPage.csrf)
      let state = try #require(page.hidden("state"))
      let reply = try await second.submit(secondPage, [("state", state), ("code", app.code(at: site.fixture.clock.now))])
      #expect(reply.isSignInPage)
      #expect(try await first.enter(app.code(at: site.fixture.clock.now), on: page).body.contains("Choose a new password"))
    }
  }

  @Test("a passkey for another RP ID is not a second factor: the password is enough to add a passkey for the current RP ID")
  func otherRelyingParty() async throws {
    try await withSite { site in
      try await self.addPasskeyOfOtherRelyingParty(site)
      let page = try await TestBrowser(site).openAccount()
      #expect(PasskeyFormFields(page) != nil)
    }
  }

  @Test("while a passkey cannot be used, because passkeys are off or the RP ID has changed, the password is enough to sign in")
  func recoveryCodesWithoutUsablePasskey() async throws {
    for isOff in [true, false] {
      try await withSite(configure: { if isOff { $0.passkeys = nil } }) { site in
        try await self.addPasskeyOfOtherRelyingParty(site)
        let account = try await site.account("ada")
        try await site.fixture.store.write { [now = site.fixture.clock.now] (tx) throws(StoreError) in
          let recorded = try tx.record(AuditRecord(.recoveryCodesCreated, account: account, from: .server, at: now))
          try tx.replaceRecoveryCodes(of: account, with: [Fingerprint(of: Secret("code"))], at: now, recorded)
        }
        let browser = TestBrowser(site)
        #expect(try await browser.openAccount().isAccountPage)
        // A sensitive change still needs a recovery code.
        #expect(try await browser.open("/account/sign-in?for=password").isAccountPage == false)
        // Without the passkey, the recovery codes are the only factor, and every sign-in needs one.
        _ = try await site.fixture.server.accounts.removePasskey([1], of: "ada")
        #expect(try await TestBrowser(site).openAccount().isAccountPage == false)
      }
    }
  }

  private func addPasskeyOfOtherRelyingParty(_ site: Site) async throws {
    let (account, now) = (try await site.account("ada"), site.fixture.clock.now)
    try await site.fixture.store.write { (tx) throws(StoreError) in
      try tx.insert(
        PasskeyRecord(
          id: [1], account: account, relyingPartyID: "other.example", publicKey: [1],
          aaguid: Array(repeating: 0, count: 16), signatureCount: 0, isBackupEligible: false, isBackedUp: false, name: "Old",
          createdAt: now))
    }
  }
}
