import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Upstreams with several tenants")
struct UpstreamTenantTests {
  private static let issuer = "https://login.corp.example/common/v2.0"
  private static let template = "https://login.corp.example/{tenantid}/v2.0"

  /// Runs `body` on a server with an upstream whose metadata and keys contain an issuer template instead of one issuer.
  private func withTenants(
    allowed: [String]? = nil, _ body: @escaping @Sendable (Site, FakeUpstream) async throws -> Void
  ) async throws {
    let transport = FakeTransport()
    try await withSite(operatorTransport: transport) { site in
      let upstream = try FakeUpstream(on: transport, issuer: Self.issuer)
      var metadata = upstream.issuer.metadata
      metadata.issuer = Self.template
      metadata.authorizationResponseIssParameterSupported = nil
      transport.on(upstream.issuer.configurationURL, respond: .json(encoding: metadata))
      var key = upstream.issuer.es256.jwk
      key["issuer"] = .string(Self.template)
      transport.on(upstream.issuer.jwksURL, respond: .json(encoding: ["keys": .array([key])] as JSONValue))
      try await upstream.register(at: site) { record in
        record.details.accounts = .create
        record.details.tenantIssuer = Self.template
        record.details.allowedTenants = allowed
      }
      try await body(site, upstream)
    }
  }

  /// Signs in with a response without `iss`. The metadata of this upstream does not announce that parameter.
  private func signIn(_ site: Site, _ upstream: FakeUpstream) async throws -> Reply {
    let browser = TestBrowser(site)
    let request = try await browser.begin(upstream, on: try await browser.authorize(AuthorizeParameters()))
    return try await browser.open(try upstream.signIn(request, changing: ["iss": nil]))
  }

  @Test(
    "users of different tenants with the same sub have different accounts, and a logout token ends the sessions of only one user"
  )
  func tenants() async throws {
    try await self.withTenants { site, upstream in
      for tenant in ["tenant-1", "tenant-2"] {
        upstream.change {
          $0.claims = ["tid": .string(tenant), "iss": .string("https://login.corp.example/\(tenant)/v2.0")]
        }
        #expect(try await self.signIn(site, upstream).isConsentPage)
      }
      let accounts = try await site.fixture.server.accounts.list().filter { !$0.hasPassword }
      #expect(accounts.count == 2)
      let token = try upstream.logoutToken(
        at: site, changing: ["tid": "tenant-1", "iss": "https://login.corp.example/tenant-1/v2.0"])
      #expect(try await upstream.send(logoutToken: token, to: site).status == .ok)
      let remaining = try await site.fixture.store.read { (tx) throws(StoreError) in
        try accounts.map { (account) throws(StoreError) in try tx.browserSessions(of: account.id).count }
      }
      #expect(remaining.sorted() == [0, 1])
      // A logout token must contain the tenant, and the issuer of this tenant.
      for claims in [
        ["tid": "tenant-1"], ["iss": "https://login.corp.example/tenant-1/v2.0"],
        ["tid": "tenant-1", "iss": "https://login.corp.example/tenant-2/v2.0"],
      ] as [[String: JSONValue?]] {
        let reply = try await upstream.send(logoutToken: try upstream.logoutToken(at: site, changing: claims), to: site)
        #expect(reply.status == .badRequest)
      }
    }
  }

  @Test("users of a tenant that is not allowed, or whose issuer does not match the tenant, cannot sign in")
  func otherTenants() async throws {
    try await self.withTenants(allowed: ["tenant-1"]) { site, upstream in
      for (tenant, issuer, isAccepted) in [
        ("tenant-1", "tenant-1", true), ("tenant-2", "tenant-2", false), ("tenant-1", "tenant-2", false),
        ("tenant-2", "tenant-1", false),
      ] {
        upstream.change {
          $0.claims = ["tid": .string(tenant), "iss": .string("https://login.corp.example/\(issuer)/v2.0")]
        }
        let page = try await self.signIn(site, upstream)
        #expect(page.isConsentPage == isAccepted, "\(tenant) \(issuer)")
      }
    }
  }
}
