import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@Suite("oidcc-dynamic-certification-test-plan: links and keys that a client registers")
struct RegisteredLinksAndKeys {
  static let links: [(member: String, uri: String)] = [
    ("policy_uri", "https://rp.example/policy"),
    ("tos_uri", "https://rp.example/terms"),
  ]

  @Test(
    """
    oidcc-registration-policy-uri, oidcc-registration-tos-uri: \
    the sign-in page links to the registered document
    """, arguments: RegisteredLinksAndKeys.links)
  func pages(_ member: String, _ uri: String) async throws {
    try await withSite { site in
      let party = try await RelyingParty.registered(on: site, [member: .string(uri)])
      let page = try await party.browser().authorize(party.request)
      #expect(page.isSignInPage && page.body.contains(#"href="\#(uri)""#))
    }
  }

  @Test("a logo_uri is registered and returned to the client, but the sign-in page does not load it")
  func logo() async throws {
    try await withSite { site in
      let uri = "https://rp.example/logo.png"
      let reply = try await site.register(RelyingParty.metadata(["logo_uri": .string(uri)]))
      #expect(reply.json["logo_uri"] == uri)
      let page = try await TestBrowser(site).authorize(
        RelyingParty.configured(on: site).request.with("client_id", reply.json["client_id"])
          .with("redirect_uri", RelyingParty.callback))
      #expect(page.isSignInPage && !page.body.contains(uri))
    }
  }

  static let keysURL = "https://rp.example/jwks.json"

  private func publish(_ keys: [TestSigningKey], on transport: FakeTransport) {
    transport.on(Self.keysURL, respond: .json(encoding: ["keys": .array(keys.map(\.jwk))] as JSONValue))
  }

  @Test("oidcc-registration-jwks-uri: a client that registers a jwks_uri authenticates with the keys published there")
  func keysAtURL() async throws {
    let transport = FakeTransport()
    try await withSite(transport: transport) { site in
      let key = TestSigningKey.es256(id: "1")
      self.publish([key], on: transport)
      try await RelyingParty.registered(on: site, ["jwks_uri": .string(Self.keysURL)], key: key).signIn()
    }
  }

  @Test("oidcc-refresh-token-rp-key-rotation: 60 seconds after the client replaced its key, a refresh with the new key succeeds")
  func keyRotation() async throws {
    let transport = FakeTransport()
    try await withSite(transport: transport) { site in
      let key = TestSigningKey.es256(id: "1")
      self.publish([key], on: transport)
      var party = try await RelyingParty.registered(on: site, ["jwks_uri": .string(Self.keysURL)], key: key)
      let signIn = try await party.signIn()
      let next = TestSigningKey.es256(id: "2")
      self.publish([next], on: transport)
      site.fixture.clock.advance(by: .seconds(60))
      party.authentication = .key(next)
      #expect(try await party.refresh(signIn.refreshToken).status == .ok)
    }
  }
}
