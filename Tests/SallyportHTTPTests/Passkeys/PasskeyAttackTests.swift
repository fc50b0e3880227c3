import Crypto
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

@Suite("Attacks on passkeys")
struct PasskeyAttackTests {
  private static let origin = "https://id.example"
  private static let rejection = "This passkey was not accepted."

  @Test("a response is accepted only once, and only in the interaction whose page asked for it")
  func replay() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      let victim = TestBrowser(site)
      let form = try #require(PasskeyFormFields(try await victim.authorize(AuthorizeParameters())))
      let response = try TestBrowser.response(to: form, with: &authenticator)

      // An attacker who has the response begins an interaction of their own.
      let attacker = TestBrowser(site)
      let attackerForm = try #require(PasskeyFormFields(try await attacker.authorize(AuthorizeParameters())))
      let fields = { (form: PasskeyFormFields, challenge: String) in
        [("csrf", form.csrf), ("challenge", challenge), ("response", String(decoding: response, as: UTF8.self))]
      }
      for challenge in [attackerForm.challenge, form.challenge, "", String(form.challenge.dropLast())] {
        let reply = try await attacker.post(attackerForm.action, fields(attackerForm, challenge))
        #expect(reply.isSignInPage && reply.status != .ok)
      }
      #expect(try await victim.send(form, response).isConsentPage)
      // In the right interaction, a second use of the response fails too.
      let repeated = try await attacker.post(form.action, fields(form, form.challenge))
      #expect(repeated.isSignInPage && repeated.status == .forbidden)
      #expect(attacker.cookies["__Host-sallyport"] == nil)
    }
  }

  @Test("exactly one of 20 concurrent uses of a response starts a session")
  func concurrentReplay() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      let form = try #require(PasskeyFormFields(try await TestBrowser(site).authorize(AuthorizeParameters())))
      let response = try TestBrowser.response(to: form, with: &authenticator)
      let pages = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<20 { group.addTask { try await TestBrowser(site).send(form, response).isConsentPage } }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(pages == 1)
    }
  }

  @Test("a challenge for a sign-in is accepted as long as the interaction lasts, and one for a registration for five minutes")
  func expiry() async throws {
    try await withSite(configure: { $0.lifetimes.interaction = .seconds(1_200) }) { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      // The sign-in page of the account page has no interaction that could expire.
      for (seconds, isAccepted) in [(1_199, true), (1_200, false)] {
        let browser = TestBrowser(site)
        let form = try #require(PasskeyFormFields(try await browser.open("/account")))
        let response = try TestBrowser.response(to: form, with: &authenticator)
        site.fixture.clock.advance(by: .seconds(Int64(seconds)))
        #expect(try await browser.send(form, response).isAccountPage == isAccepted)
      }
      for (seconds, count) in [(300, 0), (299, 1)] {
        let browser = TestBrowser(site)
        let form = try #require(PasskeyFormFields(try await browser.openAccount(as: "bob")))
        var added = try SoftwareAuthenticator(origin: Self.origin)
        let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
        let response = try added.register(options).json()
        site.fixture.clock.advance(by: .seconds(Int64(seconds)))
        _ = try await browser.send(form, response)
        #expect(try await site.fixture.server.accounts.passkeys(of: "bob").count == count)
      }
    }
  }

  @Test("the log says why a passkey was rejected")
  func reasonsInLog() async throws {
    let log = CapturedLog()
    try await withSite(logger: log.logger) { site in
      var rejected = try SoftwareAuthenticator(origin: "https://other.example")
      let browser = TestBrowser(site)
      #expect(try await browser.addPasskey(&rejected).statusText?.contains("was not added") == true)
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await browser.addPasskey(&authenticator)
      authenticator.flags.remove(.userVerified)
      let unknown = try SoftwareAuthenticator(origin: Self.origin)
      for var authenticator in [authenticator, unknown] {
        let browser = TestBrowser(site)
        let page = try await browser.authorize(AuthorizeParameters())
        #expect(try await browser.signIn(page, with: &authenticator).isSignInPage)
      }
    }
    let lines = log.lines.filter { $0.contains("passkey rejected") }
    try #require(lines.count == 3)
    for (line, reason) in zip(lines, ["originMismatch", "userNotVerified", "unknown-passkey"]) {
      #expect(line.contains("reason=\(reason)"), "\(line)")
    }
  }

  @Test(
    "responses for another user, from another site, without user verification, or whose counter does not increase are rejected")
  func hostileResponses() async throws {
    try await withSite { site in
      var ada = try SoftwareAuthenticator(origin: Self.origin)
      ada.signCount = 5
      // The counter of a passkey that cannot be synchronized must increase.
      ada.flags.subtract([.backupEligible, .backedUp])
      _ = try await TestBrowser(site).addPasskey(&ada)
      var bob = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&bob, as: "bob")

      var variants: [(String, SoftwareAuthenticator)] = []
      func add(_ name: String, _ change: (inout SoftwareAuthenticator) throws -> Void) rethrows {
        var variant = ada
        try change(&variant)
        variants.append((name, variant))
      }
      add("Bob's user handle") { $0.userHandle = bob.userHandle }
      add("no user handle") { $0.userHandle = nil }
      try add("another key") { $0.key = try SoftwareKey(.es256) }
      add("another origin") { $0.origin = "https://id.example.evil.example" }
      add("another RP ID") { $0.relyingPartyID = "evil.example" }
      add("a frame of another site") { $0.clientDataMembers["crossOrigin"] = true }
      add("no user verification") { $0.flags.remove(.userVerified) }
      add("no user presence") { $0.flags.remove(.userPresent) }
      add("a counter that does not increase") { $0.signCount = 4 }
      for (name, var variant) in variants {
        let browser = TestBrowser(site)
        let reply = try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &variant)
        #expect(reply.isSignInPage && reply.status == .forbidden && reply.body.contains(Self.rejection), "\(name)")
        #expect(browser.cookies["__Host-sallyport"] == nil, "\(name)")
      }
      let browser = TestBrowser(site)
      #expect(try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &ada).isConsentPage)
    }
  }

  @Test("an unknown passkey and a passkey of a disabled account get the same response")
  func noOracle() async throws {
    try await withSite { site in
      var disabled = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&disabled, as: "bob")
      try await site.fixture.server.accounts.disable("bob")
      var unknown = try SoftwareAuthenticator(origin: Self.origin)
      unknown.userHandle = disabled.userHandle
      var bodies: Set<String> = []
      for authenticator in [disabled, unknown] {
        let browser = TestBrowser(site)
        var authenticator = authenticator
        let page = try await browser.authorize(AuthorizeParameters())
        let reply = try await browser.signIn(page, with: &authenticator)
        #expect(reply.status == .forbidden)
        bodies.insert(
          [reply.csrf, reply.sealedInteraction].compactMap(\.self).reduce(reply.bodyWithoutChallenge) {
            $0.replacing($1, with: "")
          })
      }
      #expect(bodies.count == 1)
    }
  }

  @Test("a passkey form without the CSRF token of its page, or from another site, changes nothing")
  func crossSite() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.open("/account"))
      let form = try #require(PasskeyFormFields(page))
      let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
      let response = String(decoding: try authenticator.register(options).json(), as: UTF8.self)
      let fields = [("challenge", form.challenge), ("response", response)]
      _ = try await browser.post(form.action, fields + [("csrf", "")])
      _ = try await browser.post(form.action, fields + [("csrf", form.csrf)], headers: [.origin: "https://evil.example"])
      // Another signed-in user cannot use the challenge.
      let bob = TestBrowser(site)
      let bobForm = try #require(PasskeyFormFields(try await bob.signIn(try await bob.open("/account"), as: "bob")))
      _ = try await bob.post(bobForm.action, fields + [("csrf", bobForm.csrf)])
      let stored = try await site.fixture.store.read { (tx) throws(StoreError) in
        var count = 0
        for account in try tx.accounts(after: nil, limit: 1_000) { count += try tx.passkeys(of: account.id).count }
        return count
      }
      #expect(stored == 0)
    }
  }

  @Test("additional and repeated parameters of a registration change neither whose passkey it is, nor what is stored")
  func parameterInjection() async throws {
    try await withSite { site in
      let (ada, bob) = (try await site.account(), try await site.account("bob"))
      /// The passkeys of both users.
      func passkeys() async throws -> (ada: [PasskeyRecord], bob: [PasskeyRecord]) {
        try await site.fixture.store.read { (tx) throws(StoreError) in (try tx.passkeys(of: ada), try tx.passkeys(of: bob)) }
      }
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      // The server stores only transports that consist of lowercase letters and hyphens.
      authenticator.transports = ["usb nfc", "a b", "internal", "", "HYBRID", "ble\n", "x;y"]
      let browser = TestBrowser(site)
      let page = try await browser.openAccount()
      let form = try #require(PasskeyFormFields(page))
      let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
      let response = try authenticator.register(options).json()
      let fields = [
        ("csrf", form.csrf), ("challenge", form.challenge), ("response", String(decoding: response, as: UTF8.self)),
      ]
      // A repeated parameter is an error, so that no two parts of the server can use different values.
      let bobPage = try await TestBrowser(site).openAccount(as: "bob")
      for name in ["csrf", "challenge", "response"] {
        let value = name == "csrf" ? bobPage.accountCSRF ?? "" : "x"
        for repeated in [fields + [(name, value)], [(name, value)] + fields] {
          #expect(try await browser.post(form.action, repeated).status == .badRequest, "\(name)")
        }
      }
      let before = try await passkeys()
      #expect(before.ada.isEmpty && before.bob.isEmpty)

      // Members of the response that name other users and other rules are ignored.
      var object = try #require(try JSONSerialization.jsonObject(with: Data(response)) as? [String: Any])
      var members = try #require(object["response"] as? [String: Any])
      let handle = Base64URL.encode(Array(bob.rawValue.utf8))
      let hostile: [String: Any] = [
        "user": ["id": handle, "name": "bob"], "userHandle": handle, "account": bob.rawValue, "rp": ["id": "evil.example"],
        "attestation": "direct", "isAttested": true, "aaguid": Base64URL.encode(Array(repeating: 7, count: 16)),
        "publicKey": "AA", "signCount": 9, "name": "Mallory",
      ]
      object.merge(hostile) { own, _ in own }
      members.merge(hostile) { own, _ in own }
      object["response"] = members
      let changed = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
      let injected = [
        ("user", "bob"), ("username", "bob"), ("account", bob.rawValue), ("rp", "evil.example"), ("rpId", "evil.example"),
        ("userHandle", handle), ("attestation", "none"), ("session", "x"), ("origin", "https://evil.example"),
        ("passkey", handle), ("isAttested", "true"),
      ]
      let reply = try await browser.post(form.action, Array(fields.dropLast()) + [("response", changed)] + injected)
      #expect(reply.status == .ok || reply.status == .seeOther)
      let after = try await passkeys()
      #expect(after.ada.count == 1 && after.bob.isEmpty)
      let stored = try #require(after.ada.first)
      #expect(stored.account == ada && stored.relyingPartyID == "id.example" && stored.id == authenticator.credentialID)
      #expect(stored.publicKey == authenticator.key.coseKey.bytes && !stored.isAttested && stored.signatureCount == 0)
      #expect(stored.transports == ["internal"])
      let consent = try await TestBrowser(site).signInToApp(with: &authenticator)
      #expect(consent.isConsentPage && consent.body.contains(">ada<"))
    }
  }

  @Test("hostile names of the user and the server stay text in the options of a registration")
  func hostileNames() async throws {
    let hostile = #""><script>alert(1)</script>'&quot;\u0022,"rp":{"id":"evil.example"},"x":""#
    try await withSite(configure: { $0.name = hostile }) { site in
      _ = try await site.fixture.server.accounts.edit("ada", name: hostile)
      let page = try await TestBrowser(site).openAccount()
      let element = try #require(Markup(page.body).elements.first { $0["data-options"] != nil })
      let json = Data(try #require(element["data-options"]).utf8)
      let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: json)
      #expect(options.user.displayName == hostile && options.user.name == "ada" && options.rp.name == hostile)
      let account = try await site.account()
      #expect(options.rp.id == "id.example" && options.user.id.bytes == Array(account.rawValue.utf8))
      #expect(!page.body.contains("<script>alert"))
    }
  }

  @Test("a session that is older than ten minutes can neither add nor remove a passkey without a new sign-in")
  func recentSignIn() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      let browser = TestBrowser(site)
      _ = try await browser.addPasskey(&authenticator)
      let page = try await browser.signIn(try await browser.open("/account/sign-in?for=passkeys"), with: &authenticator)
      let form = try #require(PasskeyFormFields(page))
      var second = try SoftwareAuthenticator(origin: Self.origin)
      let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
      site.fixture.clock.advance(by: .seconds(601))
      let response = try second.register(options).json()
      #expect(try await browser.send(form, response).isSignInPage)
      let id = Base64URL.encode(authenticator.credentialID)
      let removal = [("csrf", form.csrf), ("passkey", id), ("action", "remove-passkey")]
      let reply = try await browser.post("/account/passkey", removal)
      #expect(reply.location?.contains("/account/sign-in") == true)
      // The account page then contains no options for a registration, but a plain button that leads to the sign-in.
      let stale = try await browser.open("/account")
      #expect(PasskeyFormFields(stale) == nil && stale.body.contains(#"value="add-passkey""#))
      // Signing in again with the passkey suffices.
      let signIn = try await browser.open("/account/sign-in?for=passkeys")
      #expect(PasskeyFormFields(try await browser.signIn(signIn, with: &authenticator)) != nil)
    }
  }

  @Test("a user cannot sign in again with another user's passkey to confirm a change")
  func otherUser() async throws {
    try await withSite { site in
      var bob = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&bob, as: "bob")
      let browser = TestBrowser(site)
      _ = try await browser.signIn(try await browser.open("/account"))
      site.fixture.clock.advance(by: .seconds(601))
      let cookie = browser.cookies["__Host-sallyport"]
      let reply = try await browser.signIn(try await browser.open("/account/sign-in?for=passkeys"), with: &bob)
      #expect(reply.isSignInPage && reply.status == .forbidden && browser.cookies["__Host-sallyport"] == cookie)
    }
  }
}

extension TestBrowser {
  /// Signs in to an app with a passkey.
  fileprivate func signInToApp(with authenticator: inout SoftwareAuthenticator) async throws -> Reply {
    try await self.signIn(try await self.authorize(AuthorizeParameters()), with: &authenticator)
  }
}
