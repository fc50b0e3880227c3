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

@Suite("Passkeys")
struct PasskeyTests {
  private static let origin = "https://id.example"
  private static let rejection = "This passkey was not accepted."

  @Test(
    "a user signs in to an app with a passkey of any algorithm, and the tokens say so", arguments: COSEAlgorithm.allCases)
  func signIn(algorithm: COSEAlgorithm) async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin, algorithm: algorithm)
      let added = try await TestBrowser(site).addPasskey(&authenticator)
      #expect(added.body.contains("The passkey was added."))
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &authenticator)
      #expect(consent.isConsentPage)
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let tokens = try Tokens(try await site.redeem(code))
      for token in [tokens.id, tokens.access] {
        let claims = try decodedClaims(of: token)
        #expect(claims["acr"] as? String == "phr" && claims["amr"] as? [String] == ["pop", "user", "mfa"])
      }
      #expect(try await browser.open("/account").body.contains("You signed in with a passkey."))
      let metadata = try await site.send(.get, "/.well-known/openid-configuration").body
      #expect(metadata.contains(#""acr_values_supported":["1","2","phr"]"#))
    }
  }

  @Test("registration requires a discoverable credential and user verification, and excludes the passkeys that the account has")
  func options() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      let browser = TestBrowser(site)
      _ = try await browser.addPasskey(&authenticator)
      let page = try await browser.signIn(try await browser.open("/account/sign-in?for=passkeys"), with: &authenticator)
      let form = try #require(PasskeyFormFields(page))
      let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
      #expect(options.rp.id == "id.example" && options.attestation == .none)
      #expect(options.authenticatorSelection.residentKey == "required")
      #expect(options.authenticatorSelection.userVerification == .required)
      #expect(options.excludeCredentials.map(\.id.bytes) == [authenticator.credentialID])
      let signIn = try #require(PasskeyFormFields(try await TestBrowser(site).authorize(AuthorizeParameters())))
      let request = try JSONDecoder().decode(PublicKeyCredentialRequestOptionsJSON.self, from: signIn.options)
      #expect(request.allowCredentials.isEmpty && request.userVerification == .required)
    }
  }

  @Test("the content security policy of a page with a passkey allows exactly its script")
  func contentSecurityPolicy() async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      let script = try #require(page.body.firstMatch(of: /<script>(.*)<\/script>/.dotMatchesNewlines())).1
      let policy = try #require(page.headers[.contentSecurityPolicy])
      let hash = Data(SHA256.hash(data: Array(script.utf8))).base64EncodedString()
      #expect(policy.contains("script-src 'sha256-\(hash)'") && !policy.contains("unsafe"))
      // The page, its style sheet, and its icon must stay small.
      let style = try #require(page.body.firstMatch(of: /href="(\/assets\/[^"]*css)"/)).1
      let icon = try #require(page.body.firstMatch(of: /href="(\/assets\/[^"]*svg)"/)).1
      let sizes = [page.body, try await site.send(.get, String(style)).body, try await site.send(.get, String(icon)).body]
      #expect(sizes.map(\.utf8.count).reduce(0, +) < 25_000)
    }
  }

  // MARK: Attacks

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
      let own = try #require(PasskeyFormFields(try await attacker.authorize(AuthorizeParameters())))
      let fields = { (form: PasskeyFormFields, challenge: String) in
        [("csrf", form.csrf), ("challenge", challenge), ("response", String(decoding: response, as: UTF8.self))]
      }
      for challenge in [own.challenge, form.challenge, "", String(form.challenge.dropLast())] {
        let reply = try await attacker.post(own.action, fields(own, challenge))
        #expect(reply.isSignInPage && reply.status != .ok)
      }
      #expect(try await victim.send(form, response).isConsentPage)
      // The same response again, in the right interaction.
      let again = try await attacker.post(form.action, fields(form, form.challenge))
      #expect(again.isSignInPage && again.status == .forbidden)
      #expect(attacker.cookies["__Host-sallyport"] == nil)
    }
  }

  @Test("one of 20 concurrent uses of a response starts a session")
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

  @Test("a challenge expires after five minutes")
  func expiry() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      for (seconds, isAccepted) in [(299, true), (300, false)] {
        let browser = TestBrowser(site)
        let form = try #require(PasskeyFormFields(try await browser.authorize(AuthorizeParameters())))
        let response = try TestBrowser.response(to: form, with: &authenticator)
        site.fixture.clock.advance(by: .seconds(Int64(seconds)))
        #expect(try await browser.send(form, response).isConsentPage == isAccepted)
      }
    }
  }

  @Test("responses for another user, from another site, without user verification, or with a copied counter are rejected")
  func hostileResponses() async throws {
    try await withSite { site in
      var ada = try SoftwareAuthenticator(origin: Self.origin)
      ada.signCount = 5
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

  @Test("unknown, removed, and disabled passkeys get the same response")
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

  @Test("a passkey form without the token of its page, or from another site, changes nothing")
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
      let own = try #require(PasskeyFormFields(try await bob.signIn(try await bob.open("/account"), as: "bob")))
      _ = try await bob.post(own.action, fields + [("csrf", own.csrf)])
      let stored = try await site.fixture.store.read { (tx) throws(StoreError) in
        var count = 0
        for account in try tx.accounts() { count += try tx.passkeys(of: account.id).count }
        return count
      }
      #expect(stored == 0)
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
      // The page itself has a plain button that leads to the sign-in, and no options.
      let stale = try await browser.open("/account")
      #expect(PasskeyFormFields(stale) == nil && stale.body.contains(#"value="add-passkey""#))
      // Signing in again with the passkey suffices.
      let signIn = try await browser.open("/account/sign-in?for=passkeys")
      #expect(PasskeyFormFields(try await browser.signIn(signIn, with: &authenticator)) != nil)
    }
  }

  @Test("a passkey of another user does not confirm a session")
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

  // MARK: What apps request

  @Test("an essential phr leads from a password to the passkey, and acr_values to a new sign-in")
  func contexts() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      let browser = TestBrowser(site)
      _ = try await browser.addPasskey(&authenticator)
      let essential = AuthorizeParameters(.claimed).with("claims", #"{"id_token":{"acr":{"essential":true,"value":"phr"}}}"#)
      let page = try await browser.authorize(essential)
      #expect(page.isSignInPage && page.body.contains("This app requires a passkey."))
      let afterPassword = try await browser.signIn(page)
      #expect(afterPassword.isSignInPage && afterPassword.body.contains("This app requires a passkey."))
      let consent = try await browser.signIn(afterPassword, with: &authenticator)
      #expect(consent.isConsentPage || consent.parameters["code"] != nil)

      let other = TestBrowser(site)
      _ = try await other.complete(AuthorizeParameters(.claimed))
      site.fixture.clock.advance(by: .seconds(1))
      let voluntary = AuthorizeParameters(.claimed).with("acr_values", "phr")
      let asked = try await other.authorize(voluntary)
      #expect(asked.isSignInPage && !asked.body.contains("This app requires a passkey."))
      #expect(try await other.signIn(asked).parameters["code"] != nil)
      // Without a page, the preference is ignored.
      let silent = try await other.authorize(voluntary.with("prompt", "none"))
      #expect(silent.parameters["code"] != nil)
    }
  }

  @Test("only the origins that the operator lists appear in /.well-known/webauthn, and by default the document does not exist")
  func relatedOrigins() async throws {
    try await withSite { site in
      let document = try await site.send(.get, "/.well-known/webauthn")
      #expect(document.status == .notFound)
    }
    try await withSite(configure: { $0.passkeys?.relatedOrigins = ["https://id.example.org"] }) { site in
      let document = try await site.send(.get, "/.well-known/webauthn")
      #expect(document.status == .ok && document.body == #"{"origins":["https://id.example.org"]}"#)
      #expect(document.headers[.contentType] == "application/json")
      var authenticator = try SoftwareAuthenticator(origin: "https://id.example.org")
      #expect(try await TestBrowser(site).addPasskey(&authenticator).body.contains("The passkey was added."))
    }
  }

  @Test("where passkeys are off or cannot work, no page offers them", arguments: ["http://127.0.0.1:8080", "https://id.example"])
  func unavailable(issuer: String) async throws {
    try await withSite(issuer: issuer, configure: { if issuer.hasPrefix("https") { $0.passkeys = nil } }) { site in
      let browser = TestBrowser(site)
      let page = try await browser.open("/account")
      #expect(PasskeyFormFields(page) == nil && !page.body.contains("passkey") && !page.body.contains("<script"))
      #expect(try await !browser.signIn(page).body.contains("passkey"))
      #expect(try await browser.post("/account/passkeys", []).status == .notFound)
    }
  }
}
