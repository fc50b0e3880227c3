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

/// The `acr` value is `phr` for a passkey, and `phrh` for a passkey in attested hardware
/// (`AuthenticationContext.Level`).
@Suite("The levels of passkeys")
struct PasskeyLevelTests {
  /// The model of the authenticator.
  private static let model = AAGUID([UInt8](repeating: 7, count: 16))

  /// - Parameter state: Whether the operator allows the model, has removed it from the list of models, or has turned
  ///   attestation off.
  @Test(
    "an attested passkey leads to phrh only while the operator allows its model",
    arguments: [("allowed", "phrh"), ("removed", "phr"), ("off", "phr")])
  func attestation(state: String, expected: String) async throws {
    let model = try #require(Self.model)
    let other = try #require(AAGUID([UInt8](repeating: 8, count: 16)))
    let trusted = try #require(TrustedAuthenticators(aaguids: state == "allowed" ? [model, other] : [other], roots: []))
    try await withSite(configure: { $0.passkeys?.attestation = state == "off" ? .none : .required(trusted) }) { site in
      var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
      try await Self.insert(&authenticator, of: "ada", in: site)
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &authenticator)
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let claims = try decodedClaims(of: Tokens(try await site.redeem(code)).id)
      #expect(claims["acr"] as? String == expected)
    }
  }

  @Test("an attested passkey is rejected if its backup eligibility changes, because phrh depends on it")
  func attestedBackupEligibility() async throws {
    let model = try #require(Self.model)
    let trusted = try #require(TrustedAuthenticators(aaguids: [model], roots: []))
    for policy in [AttestationPolicy.required(trusted), .none] {
      try await withSite(configure: { $0.passkeys?.attestation = policy }) { site in
        var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
        try await Self.insert(&authenticator, of: "ada", in: site)
        authenticator.flags.subtract([.backupEligible, .backedUp])
        let browser = TestBrowser(site)
        let reply = try await browser.signIn(try await browser.authorize(AuthorizeParameters()), with: &authenticator)
        #expect(reply.isSignInPage && reply.status == .forbidden)
      }
    }
  }

  @Test("if the operator lists models, a passkey without attestation cannot be added, and an attested one leads to phrh")
  func requiredAttestation() async throws {
    let (model, clock) = (try #require(Self.model), TestClock())
    let authority = try AttestationAuthority(at: clock.now)
    let trusted = try #require(TrustedAuthenticators(aaguids: [model], roots: [authority.root]))
    try await withSite(configure: { $0.passkeys?.attestation = .required(trusted) }) { site in
      let browser = TestBrowser(site)
      for attestation in [SoftwareAttestation.none, .selfSigned] {
        var plain = try SoftwareAuthenticator(origin: "https://id.example", attestation: attestation)
        plain.aaguid = model
        #expect(try await browser.addPasskey(&plain).statusText?.contains("was not added") == true)
        #expect(try await site.fixture.server.accounts.passkeys(of: "ada").isEmpty)
      }
      var authenticator = try SoftwareAuthenticator(
        origin: "https://id.example", attestation: try authority.attestation(of: model))
      _ = try await browser.addPasskey(&authenticator)
      #expect(try await site.fixture.server.accounts.passkeys(of: "ada").map(\.isAttested) == [true])
      let other = TestBrowser(site)
      let consent = try await other.signIn(try await other.authorize(AuthorizeParameters()), with: &authenticator)
      let code = try #require(try await other.decide(consent, "allow").parameters["code"])
      #expect(try decodedClaims(of: Tokens(try await site.redeem(code)).id)["acr"] as? String == "phrh")
    }
  }

  /// Stores a passkey that was attested when it was added.
  private static func insert(_ authenticator: inout SoftwareAuthenticator, of username: String, in site: Site) async throws {
    let account = try #require(try await site.fixture.server.accounts.account(named: Username(username)))
    authenticator.userHandle = Array(account.id.rawValue.utf8)
    let passkey = PasskeyRecord(
      id: authenticator.credentialID, account: account.id, relyingPartyID: "id.example",
      publicKey: authenticator.key.coseKey.bytes, aaguid: try #require(self.model).bytes, isAttested: true, signatureCount: 0,
      isBackupEligible: true, isBackedUp: true, name: "Key", createdAt: site.fixture.clock.now)
    try await site.fixture.store.write { (tx) throws(StoreError) in try tx.insert(passkey) }
  }

  @Test("introspection responses contain acr, amr, and auth_time of access tokens and refresh tokens (RFC 9470 §6.2)")
  func introspection() async throws {
    try await withSite { site in
      let tokens = try await site.tokens(.web)
      for token in [tokens.access, tokens.refresh] {
        let reply = try await site.post(
          "/introspect", [("token", token), ("client_id", "web"), ("client_secret", TestClient.secret)])
        let response = try #require(try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any])
        #expect(response["acr"] as? String == "1" && response["amr"] as? [String] == ["pwd"])
        #expect(response["auth_time"] as? Int == Int(site.now))
      }
    }
  }
}
