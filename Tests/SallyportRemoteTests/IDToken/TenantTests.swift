import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

/// ID tokens of a provider whose tenants share endpoints, as with Microsoft's `common` endpoint. The member `issuer` of
/// a published key is the issuer of one tenant, or a template for the issuers of all tenants.
@Suite("Issuer templates")
struct TenantTests {
  private static let template = "https://login.example/{tenantid}/v2.0"
  private static let own = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
  private static let other = "11111111-2b34-4da1-9baa-8bc8c9d6a490"

  private let issuer: TestIssuer
  private let transport = FakeTransport()
  private let clock = TestClock()
  /// A key of the other tenant.
  private let otherKey = TestSigningKey.es256(id: "other-1")
  /// A key without the member `issuer`.
  private let plainKey = TestSigningKey.es256(id: "plain-1")

  init() throws {
    self.issuer = try TestIssuer("https://login.example/common/v2.0")
    var shared = self.issuer.es256.jwk
    shared["issuer"] = .string(Self.template)
    var others = self.otherKey.jwk
    others["issuer"] = .string("https://login.example/\(Self.other)/v2.0")
    self.transport.on(
      self.issuer.jwksURL, respond: .json(encoding: ["keys": .array([shared, others, self.plainKey.jwk])] as JSONValue))
  }

  private func verify(
    tid: JSONValue?, iss: String = "https://login.example/\(Self.own)/v2.0", key: TestSigningKey? = nil,
    allowed: Set<String>? = nil
  ) async throws -> IDTokenClaims {
    var claims = self.issuer.claims(clientID: "notes", now: self.clock.now)
    claims["iss"] = .string(iss)
    claims["tid"] = tid
    let keys = JWKSCache(url: try EndpointURL(self.issuer.jwksURL), transport: self.transport, now: self.clock.source)
    let verifier = IDTokenVerifier(
      issuer: self.issuer.issuer, tenants: TenantPolicy(issuerTemplate: Self.template, allowed: allowed), clientID: "notes",
      keys: keys, allowedAlgorithms: nil, now: self.clock.source)
    return try await verifier.verify(try self.issuer.token(claims, key: key), expecting: IDTokenExpectations(nonce: nil))
  }

  @Test("C-29: a token of any tenant is accepted if iss, tid, and the key's issuer agree")
  func good() async throws {
    #expect(try await self.verify(tid: .string(Self.own)).issuer == "https://login.example/\(Self.own)/v2.0")
    let other = "https://login.example/\(Self.other)/v2.0"
    #expect(try await self.verify(tid: .string(Self.other), iss: other, key: self.otherKey).issuer == other)
    _ = try await self.verify(tid: .string(Self.own), allowed: [Self.own.uppercased()])
  }

  @Test("C-29: a token that is signed with another tenant's key is rejected")
  func otherKey() async {
    await #expect(throws: IDTokenError.keyOfAnotherIssuer) {
      try await self.verify(tid: .string(Self.own), key: self.otherKey)
    }
  }

  @Test("C-29: a token that is signed with a key without an issuer is rejected")
  func plainKey() async {
    await #expect(throws: IDTokenError.keyOfAnotherIssuer) {
      try await self.verify(tid: .string(Self.own), key: self.plainKey)
    }
  }

  @Test(
    "C-29: a token whose iss and tid disagree is rejected",
    arguments: [
      "https://login.example/\(Self.other)/v2.0", "https://login.example/\(Self.own)/v2.0/",
      "https://login.example/{tenantid}/v2.0",
      "https://evil.example/\(Self.own)/v2.0", "https://login.example/common/v2.0",
    ])
  func mismatch(iss: String) async {
    await #expect(throws: IDTokenError.issuerMismatch) { try await self.verify(tid: .string(Self.own), iss: iss) }
  }

  @Test(
    "C-29: a tid that is not an identifier is rejected, even if iss agrees",
    arguments: ["evil/8eaef023", "", "..", "a%2Fb", "a?b", "{tenantid}", "a b", "é", String(repeating: "a", count: 65)])
  func malformed(tenant: String) async {
    await #expect(throws: IDTokenError.tenantNotAllowed) {
      try await self.verify(tid: .string(tenant), iss: "https://login.example/\(tenant)/v2.0")
    }
  }

  @Test("C-29: a token whose tid is missing or null is rejected", arguments: [nil, JSONValue.null])
  func missing(tid: JSONValue?) async {
    await #expect(throws: IDTokenError.tenantNotAllowed) { try await self.verify(tid: tid) }
  }

  @Test("C-29: a token of a tenant that the app doesn't allow is rejected")
  func notAllowed() async {
    await #expect(throws: IDTokenError.tenantNotAllowed) {
      try await self.verify(tid: .string(Self.own), allowed: [Self.other])
    }
  }

  @Test("C-32: the issuer in the metadata may be the template or the issuer of an allowed tenant, and nothing else")
  func metadata() async throws {
    let tenants = TenantPolicy(issuerTemplate: Self.template, allowed: [Self.own])
    func metadata(_ name: String, _ tenants: TenantPolicy?) throws -> ProviderMetadata {
      var document = self.issuer.metadata
      document.issuer = name
      return try ProviderMetadata(document, expecting: self.issuer.issuer, tenants: tenants)
    }
    #expect(try metadata(Self.template, tenants).tenants == tenants)
    let own = try metadata("https://login.example/\(Self.own)/v2.0", tenants)
    #expect(own.tenants == nil && own.tokenIssuer.value == "https://login.example/\(Self.own)/v2.0")
    #expect(own.accepts(issuer: "https://login.example/\(Self.own)/v2.0"))
    #expect(!own.accepts(issuer: "https://login.example/\(Self.other)/v2.0"))
    for name in [
      "https://login.example/\(Self.other)/v2.0", "https://evil.example/\(Self.own)/v2.0", "https://login.example/a/b/v2.0",
      "https://login.example/{other}/v2.0",
    ] {
      #expect(throws: DiscoveryError.issuerMismatch(found: name)) { try metadata(name, tenants) }
    }
    #expect(throws: DiscoveryError.issuerMismatch(found: Self.template)) { try metadata(Self.template, nil) }
  }
}
