import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("Discovery, keys, and headers")
struct DocumentTests {
  @Test(
    "S-21, S-33: both discovery documents list the endpoints under the issuer exactly as it is configured",
    arguments: [
      "https://id.example", "https://id.example/tenant", "http://localhost:8080",
    ])
  func discovery(issuer: String) async throws {
    try await withSite(issuer: issuer) { site in
      let path = site.issuer.path
      for uri in ["\(path)/.well-known/openid-configuration", "/.well-known/oauth-authorization-server\(path)"] {
        let reply = try await site.send(.get, uri)
        #expect(reply.status == .ok && reply.headers[.contentType] == "application/json")
        let metadata = try JSONDecoder().decode(ServerMetadata.self, from: Data(reply.body.utf8))
        #expect(metadata.issuer == issuer)
        #expect(metadata.authorizationEndpoint == issuer + "/authorize" && metadata.jwksURI == issuer + "/jwks.json")
        #expect(metadata.responseTypesSupported == ["code"] && metadata.codeChallengeMethodsSupported == ["S256"])
        #expect(metadata.grantTypesSupported == GrantType.allCases.map(\.rawValue))
        #expect(metadata.authorizationResponseIssParameterSupported == true)
      }
      for endpoint in [
        "/authorize", "/token", "/userinfo", "/revoke", "/jwks.json", "/par", "/device_authorization", "/introspect",
        "/end-session", "/device",
      ] {
        #expect(try await site.send(.get, path + endpoint).status != .notFound)
      }
    }
  }

  @Test("the key set contains only public keys")
  func keySet() async throws {
    try await withSite { site in
      let reply = try await site.send(.get, "/jwks.json")
      let set = try #require(JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: [[String: String]]])
      let keys = try #require(set["keys"])
      #expect(Set(keys.compactMap { $0["alg"] }) == ["ES256", "RS256"])
      for key in keys {
        let isRSA = key["kty"] == "RSA"
        #expect(Set(key.keys) == Set(["kty", "use", "alg", "kid"] + (isRSA ? ["n", "e"] : ["crv", "x", "y"])))
      }
    }
  }

  static let pages = ["/", "/sign-out", "/nothing", "/interaction?i=x", "/authorize", "/authorize?client_id=nobody"]
  static let endpoints = [
    "/token", "/revoke", "/userinfo", "/jwks.json", "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
  ]

  @Test("S-28: the response to a GET of a page or an endpoint has the security headers", arguments: pages + endpoints)
  func securityHeaders(uri: String) async throws {
    try await withSite { site in self.expectHeaders(try await site.send(.get, uri)) }
  }

  @Test("S-28: the pages, redirects, and error pages of a sign-in have the security headers")
  func securityHeadersOfFlow() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let first = try await browser.get("/authorize?\(AuthorizeParameters().query)")
      let page = try await browser.authorize(AuthorizeParameters())
      let wrong = try await browser.signIn(page, password: "x")
      let consent = try await browser.signIn(page)
      let response = try await browser.decide(consent, "allow")
      let repeated = try await browser.decide(consent, "allow")
      let large = try await site.send(.post, "/interaction/sign-in", body: [UInt8](repeating: 0x61, count: 70_000))
      let token = try await site.redeem(try #require(response.parameters["code"]))
      for reply in [first, page, wrong, consent, response, repeated, large, token] { self.expectHeaders(reply) }
      for redirect in [first, response] {
        #expect(redirect.status == .seeOther && redirect.body.isEmpty)
        #expect(redirect.headers[.cacheControl] == "no-store")
      }
    }
  }

  private func expectHeaders(_ reply: Reply, sourceLocation: SourceLocation = #_sourceLocation) {
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { reply.headers[$0] } }
    #expect(header("X-Content-Type-Options") == "nosniff", sourceLocation: sourceLocation)
    let isNavigation = reply.isPage || reply.status.kind == .redirection
    #expect(header("X-Frame-Options") == (isNavigation ? "DENY" : nil), sourceLocation: sourceLocation)
    #expect(header("Referrer-Policy") == (isNavigation ? "same-origin" : nil), sourceLocation: sourceLocation)
    #expect(header("Strict-Transport-Security") == "max-age=31536000", sourceLocation: sourceLocation)
    let policy = header("Content-Security-Policy") ?? ""
    #expect(policy.hasPrefix("default-src 'none';"), sourceLocation: sourceLocation)
    #expect(policy.contains("frame-ancestors 'none'"), sourceLocation: sourceLocation)
    #expect(!policy.contains("unsafe"), sourceLocation: sourceLocation)
    guard reply.isPage else { return }
    #expect(policy.contains("base-uri 'none'"), sourceLocation: sourceLocation)
    #expect(header("Cache-Control") == "no-store", sourceLocation: sourceLocation)
    #expect(header("Cross-Origin-Resource-Policy") == "same-origin", sourceLocation: sourceLocation)
    #expect(header("Permissions-Policy")?.contains("camera=()") == true, sourceLocation: sourceLocation)
  }

  @Test(
    "S-28: an error page contains nothing from the request",
    arguments: [
      "/authorize?client_id=MARK%3Cscript%3E", "/authorize?MARK=1&MARK=2",
      "/authorize?client_id=loopback&redirect_uri=https://MARK",
      "/authorize?client_id=dynamic&redirect_uri=https://self.example/cb&state=MARK", "/interaction?i=MARK", "/MARK",
      "/MARK?MARK",
    ])
  func nothingReflected(uri: String) async throws {
    try await withSite { site in
      let reply = try await site.send(.get, uri)
      #expect(reply.isPage && reply.status.kind == .clientError)
      #expect(!reply.body.contains("MARK") && !reply.headers.contains { $0.value.contains("MARK") })
    }
  }

  @Test("with an http issuer, the server sends no Strict-Transport-Security")
  func noHSTSOverHTTP() async throws {
    try await withSite(issuer: "http://localhost:8080") { site in
      let reply = try await site.send(.get, "/")
      #expect(reply.isPage && reply.headers[.strictTransportSecurity] == nil)
    }
  }

  @Test(
    "S-36: a script of another origin cannot read the authorization endpoint or the pages",
    arguments: [
      "/authorize", "/interaction", "/interaction/sign-in", "/interaction/consent", "/sign-out", "/",
    ])
  func noCORS(path: String) async throws {
    try await withSite { site in
      for method in [HTTPRequest.Method.options, .get, .post] {
        let reply = try await site.send(
          method, path, headers: [.origin: "https://evil.example", .accessControlRequestMethod: "POST"])
        for name in reply.headers.map(\.name.canonicalName) { #expect(!name.hasPrefix("access-control-")) }
      }
    }
  }

  @Test(
    "S-36: scripts can call the endpoints for apps, without the browser's cookies",
    arguments: [
      ("/token", "POST"), ("/revoke", "POST"), ("/par", "POST"), ("/device_authorization", "POST"), ("/register", "POST"),
      ("/userinfo", "GET, POST"), ("/jwks.json", "GET"),
      ("/.well-known/openid-configuration", "GET"), ("/.well-known/oauth-authorization-server", "GET"),
    ])
  func crossOrigin(path: String, methods: String) async throws {
    try await withSite { site in
      let headers: HTTPFields = [.origin: "https://spa.example", .accessControlRequestMethod: "POST"]
      let preflight = try await site.send(.options, path, headers: headers)
      #expect(preflight.status == .noContent)
      #expect(preflight.headers[.accessControlAllowMethods] == methods)
      // MCP clients in browsers send these header fields.
      let fields = preflight.headers[.accessControlAllowHeaders]?.split(separator: ", ") ?? []
      for name in ["authorization", "content-type", "dpop", "mcp-protocol-version"] { #expect(fields.contains(name[...])) }
      let reply = try await site.send(.get, path, headers: headers)
      for reply in [preflight, reply] {
        #expect(reply.headers[.accessControlAllowOrigin] == "*")
        #expect(reply.headers[.accessControlAllowCredentials] == nil)
      }
    }
  }
}
