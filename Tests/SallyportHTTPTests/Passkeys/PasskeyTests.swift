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

  @Test(
    "a user signs in to an app with a passkey of any algorithm, and the tokens have the acr phr",
    arguments: COSEAlgorithm.allCases)
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

  @Test("a passkey whose backup eligibility changes is accepted, and the account page shows its new state")
  func backupEligibility() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      authenticator.flags.subtract([.backupEligible, .backedUp])
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      let changes: [AuthenticatorFlags] = [[.backupEligible, .backedUp], [.backupEligible], []]
      for flags in changes {
        authenticator.flags.subtract([.backupEligible, .backedUp])
        authenticator.flags.formUnion(flags)
        let browser = TestBrowser(site)
        #expect(try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &authenticator).isConsentPage)
        let passkey = try #require(try await site.fixture.server.accounts.passkeys(of: "ada").first)
        #expect(passkey.isBackupEligible == flags.contains(.backupEligible))
        #expect(passkey.isBackedUp == flags.contains(.backedUp))
      }
    }
  }

  @Test("a synchronized passkey is accepted even if its counter does not increase, because each device may have its own counter")
  func countersOfSynchronizedPasskeys() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      authenticator.signCount = 50
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      // The authenticator increases the counter before it responds, unless the counter is 0.
      for (next, stored) in [(50, 51), (50, 51), (6, 51), (0, 51), (59, 60)] as [(UInt32, Int64)] {
        authenticator.signCount = next
        let browser = TestBrowser(site)
        #expect(try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &authenticator).isConsentPage)
        #expect(try await site.fixture.server.accounts.passkeys(of: "ada").map(\.signatureCount) == [stored])
      }
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

  @Test("the content security policy of a page with a passkey allows exactly its scripts")
  func contentSecurityPolicy() async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      let hashes = Markup(page.body).all("script").map {
        "'sha256-\(Data(SHA256.hash(data: Array($0.text.utf8))).base64EncodedString())'"
      }
      let policy = try #require(page.headers[.contentSecurityPolicy])
      #expect(hashes.count == 2 && policy.hasSuffix("; script-src \(hashes.joined(separator: " "))"), "\(policy)")
      #expect(!policy.contains("unsafe"))
    }
  }

  @Test(
    """
    if the acr phr (phishing-resistant) is an essential claim, the app gets a code only after a sign-in with a passkey; if \
    phr is only in acr_values, the user must sign in again, but may use a password
    """)
  func contexts() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      let browser = TestBrowser(site)
      _ = try await browser.addPasskey(&authenticator)
      let essential = AuthorizeParameters(.claimedHTTPS).with(
        "claims", #"{"id_token":{"acr":{"essential":true,"value":"phr"}}}"#)
      let page = try await browser.authorize(essential)
      #expect(page.isSignInPage && page.body.contains("This app requires a passkey."))
      let afterPassword = try await browser.signIn(page)
      #expect(afterPassword.isSignInPage && afterPassword.body.contains("This app requires a passkey."))
      let consent = try await browser.signIn(afterPassword, with: &authenticator)
      #expect(consent.isConsentPage || consent.parameters["code"] != nil)

      let other = TestBrowser(site)
      _ = try await other.complete(AuthorizeParameters(.claimedHTTPS))
      site.fixture.clock.advance(by: .seconds(1))
      let voluntary = AuthorizeParameters(.claimedHTTPS).with("acr_values", "phr")
      let signInPage = try await other.authorize(voluntary)
      #expect(signInPage.isSignInPage && !signInPage.body.contains("This app requires a passkey."))
      #expect(try await other.signIn(signInPage).parameters["code"] != nil)
      // With prompt=none, the preference is ignored.
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
      // A listed origin can use the passkeys on its own pages, but this server rejects responses from there. Otherwise,
      // a script on such a page could sign in to this server.
      var authenticator = try SoftwareAuthenticator(origin: Self.origin)
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      authenticator.origin = "https://id.example.org"
      let browser = TestBrowser(site)
      let reply = try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &authenticator)
      #expect(reply.isSignInPage && reply.status == .forbidden)
    }
  }

  @Test(
    "if the operator has turned passkeys off, or the issuer's host is an IP address, no page offers them",
    arguments: ["http://127.0.0.1:8080", "https://id.example"])
  func unavailable(issuer: String) async throws {
    // The operator turns passkeys off for the https issuer. The host of the http issuer cannot be an RP ID.
    try await withSite(issuer: issuer, configure: { if issuer.hasPrefix("https") { $0.passkeys = nil } }) { site in
      let browser = TestBrowser(site)
      let page = try await browser.open("/account")
      #expect(PasskeyFormFields(page) == nil && !page.body.contains("passkey"))
      #expect(try await !browser.signIn(page).body.contains("passkey"))
      #expect(try await browser.post("/account/passkeys", []).status == .notFound)
    }
  }
}
