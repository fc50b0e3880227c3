import Foundation
import HTTPTypes
import Logging
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Secrets in the log")
struct SecretsInLogsTests {
  @Test("a request is logged with its route, status, duration, and ID, but without its query; the response has the same ID")
  func accessLine() async throws {
    let log = CapturedLog()
    try await withSite(logger: log.logger) { site in
      let reply = try await site.send(.get, "/authorize?client_id=nobody&state=st4te-123")
      let id = try #require(reply.requestID)
      #expect(reply.isPage && reply.body.contains(id))
      let line = try #require(log.lines.first { $0.hasPrefix("info request ") })
      for part in ["method=GET", "route=/authorize", "status=400", "milliseconds=", "hb.request.id=\(id)", "address="] {
        #expect(line.contains(part), "\(part) in \(line)")
      }
      let other = try await site.send(
        .get, "/no-such-page/slp_rt_x", headers: [try #require(HTTPField.Name("X-Request-ID")): "forged"])
      #expect(other.requestID != id && other.requestID != "forged")
      let all = log.lines.joined(separator: "\n")
      #expect(all.contains("route=NotFound"))
      #expect(!all.contains("st4te-123") && !all.contains("slp_rt_x") && !all.contains("forged"))
    }
  }

  @Test("no secret of apps' requests is in the audit trail, or in the log, even at trace level")
  func noSecrets() async throws {
    let (log, secrets) = (CapturedLog(), SearchedSecrets())
    try await withSite(logger: log.logger, configure: { $0.registration.mode = .token }) { site in
      secrets.add("password", TestServer.password)
      secrets.add("verifier", AuthorizeParameters.verifier)
      secrets.add("client secret", TestClient.secret)
      try await self.codeFlow(site, secrets)
      try await self.rejections(site, secrets)
      try await self.clients(site, secrets)
      try await self.pushed(site, secrets)
      try await self.device(site, secrets)
      try await self.registration(site, secrets)

      try await secrets.expectNone(in: log, of: site)
    }
  }

  private func codeFlow(_ site: Site, _ secrets: SearchedSecrets) async throws {
    let browser = TestBrowser(site)
    for client in [TestClient.loopback, .web] {
      let response = try await browser.complete(AuthorizeParameters(client))
      let code = try #require(response.parameters["code"])
      secrets.add("code", code.secretPart)
      let tokens = try Tokens(try await site.redeem(code, client))
      for (name, token) in [("access token", tokens.access), ("refresh token", tokens.refresh), ("ID token", tokens.id)] {
        secrets.add(name, token)
      }
      let next = try Tokens(try await site.refresh(tokens.refresh, client))
      secrets.add("next refresh token", next.refresh)
      _ = try await site.refresh(next.refresh, client)
      _ = try await site.userinfo(tokens.access)
      for token in [tokens.refresh, tokens.access] {
        _ = try await site.refresh(token, client)
        _ = try await site.post(
          "/introspect", [("token", token), ("client_id", "web"), ("client_secret", TestClient.secret)])
        _ = try await site.post("/revoke", [("token", token), ("client_id", client.rawValue)])
        _ = try await site.userinfo(token)
      }
      _ = try await site.redeem(code, client)
    }
    for (name, value) in browser.cookies { secrets.add("cookie \(name)", value) }
    _ = try await browser.open(
      "/end-session?id_token_hint=\(secrets.all.withLock { $0.last { $0.name == "ID token" }?.text ?? "" })")
    try await browser.signOut()
  }

  /// Sends requests that contain secrets. The server rejects almost all of them.
  private func rejections(_ site: Site, _ secrets: SearchedSecrets) async throws {
    let browser = TestBrowser(site)
    let page = try await browser.authorize(AuthorizeParameters())
    secrets.add("sealed interaction", page.sealedInteraction)
    secrets.add("CSRF token", page.csrf)
    // Some users type their password into the field for the user name, so an unknown user name is a secret too.
    let (unknownName, longPassword) = ("name-that-is-a-p4ssword", String(repeating: "9", count: 3_000))
    for secret in ["wr0ng-password", unknownName, longPassword] { secrets.add("wrong password", secret) }
    for (username, password) in [("ada", "wr0ng-password"), (unknownName, "x"), ("ada", longPassword)] {
      _ = try await browser.signIn(page, as: username, password: password)
    }
    let (code, verifier) = (try await site.code(), "wrong-verifier-0123456789-0123456789-0123456789")
    secrets.add("code", code.secretPart)
    secrets.add("wrong verifier", verifier)
    for change in [["code_verifier": verifier], ["redirect_uri": "http://127.0.0.1:1/s3cr3t-cb"], ["client_id": "s3cr3t-client"]]
    {
      _ = try await site.redeem(code, changing: change)
    }
    secrets.add("unknown client", "s3cr3t-client")
    secrets.add("unregistered redirect", "s3cr3t-cb")
    secrets.add("state", "st4te-of-the-app")
    // The requests from here on contain secrets that were added above.
    for request in [
      AuthorizeParameters().with("state", "st4te-of-the-app"), AuthorizeParameters().with("redirect_uri", "https://a/s3cr3t-cb"),
      AuthorizeParameters().with("client_id", "s3cr3t-client"), AuthorizeParameters().repeating("s3cr3t-client", "x"),
      AuthorizeParameters().repeating("s3cr3t-client", "y").repeating("s3cr3t-client", "z"),
      AuthorizeParameters().with("code_challenge", "s3cr3t-client"), AuthorizeParameters().with("request", "s3cr3t-client.a.b"),
    ] { _ = try await browser.authorize(request) }
    _ = try await site.send(.get, "/userinfo?access_token=s3cr3t-client", headers: [.authorization: "Bearer s3cr3t-client"])
    _ = try await site.send(.get, "/s3cr3t-client")
    _ = try await site.send(.post, "/token?client_secret=s3cr3t-client", body: Array("a=s3cr3t-client".utf8))
    _ = try await browser.get("/interaction?i=s3cr3t-client")
  }

  private func clients(_ site: Site, _ secrets: SearchedSecrets) async throws {
    secrets.add("wrong secret", "wr0ng-s3cret")
    secrets.add("Basic", Data("web-basic:wr0ng-s3cret".utf8).base64EncodedString())
    _ = try await site.post("/token", [("grant_type", "refresh_token"), ("client_id", "web"), ("client_secret", "wr0ng-s3cret")])
    _ = try await site.post(
      "/token", [("grant_type", "refresh_token")],
      authorization: "Basic \(Data("web-basic:wr0ng-s3cret".utf8).base64EncodedString())")
    let key = TestSigningKey.es256(id: "k1")
    _ = try await site.addKeyClient(key)
    for claims in [site.assertionClaims(), site.assertionClaims().merging(["aud": "https://other.example"]) { $1 }] {
      let assertion = try jwt(key, claims)
      secrets.add("client assertion", assertion)
      for _ in 0..<2 {
        _ = try await site.post(
          "/token",
          [
            ("grant_type", "client_credentials"), ("client_assertion_type", Site.assertionType), ("client_assertion", assertion),
          ])
      }
    }
    let object = try jwt(key, ["iss": "keyed", "aud": "https://id.example", "client_id": "keyed", "response_type": "none"])
    secrets.add("request object", object)
    _ = try await site.send(.get, "/authorize?client_id=keyed&request=\(object)")
  }

  private func pushed(_ site: Site, _ secrets: SearchedSecrets) async throws {
    let reply = try await site.post("/par", AuthorizeParameters().list)
    let uri = try #require(reply.json["request_uri"])
    secrets.add("pushed request", uri)
    let browser = TestBrowser(site)
    for _ in 0..<2 {
      var page = try await browser.open("/authorize?" + FormParameters.encode([("client_id", "loopback"), ("request_uri", uri)]))
      if page.isSignInPage { page = try await browser.signIn(page) }
      if page.isConsentPage { secrets.add("code", try await browser.decide(page, "allow").parameters["code"]?.secretPart) }
    }
  }

  private func device(_ site: Site, _ secrets: SearchedSecrets) async throws {
    var client = try TestClient.loopback.record
    client.grantTypes.append(.deviceCode)
    try await site.add(client)
    let reply = try await site.post("/device_authorization", [("client_id", "loopback"), ("scope", "openid")])
    let (code, userCode) = (try #require(reply.json["device_code"]), try #require(reply.json["user_code"]))
    secrets.add("device code", code)
    secrets.add("user code", userCode)
    secrets.add("user code", userCode.replacingOccurrences(of: "-", with: ""))
    let browser = TestBrowser(site)
    var page = try await browser.submit(try await browser.open("/device?user_code=\(userCode)"), [("user_code", userCode)])
    page = try await browser.signIn(page)
    _ = try await browser.decide(page, "allow")
    _ = try await browser.decide(page, "allow")
    for _ in 0..<3 {
      site.fixture.clock.advance(by: .seconds(5))
      let form: [(name: String, value: String)] = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code), ("client_id", "loopback"),
      ]
      if let token = try await site.post("/token", form).json["access_token"] { secrets.add("access token", token) }
    }
  }

  private func registration(_ site: Site, _ secrets: SearchedSecrets) async throws {
    let (token, now) = (InitialAccessToken.random(), site.fixture.clock.now)
    secrets.add("initial access token", token.text.reveal())
    secrets.add("wrong token", "wr0ng-t0ken")
    try await site.fixture.store.write { (tx) throws(StoreError) in
      try tx.insert(
        InitialAccessTokenRecord(
          fingerprint: token.fingerprint, label: "partners", createdAt: now, expiresAt: now + .seconds(60), remainingUses: 1))
    }
    _ = try await site.register(Site.mcpClient, token: "wr0ng-t0ken")
    var metadata = Site.mcpClient
    metadata["token_endpoint_auth_method"] = "client_secret_basic"
    let created = try await site.register(metadata, token: token.text.reveal()).registration
    secrets.add("registration access token", created.registrationAccessToken?.reveal())
    secrets.add("client secret", created.clientSecret?.reveal())
    _ = try await site.register(metadata, token: token.text.reveal())
    for token in [created.registrationAccessToken?.reveal() ?? "", "wr0ng-t0ken"] {
      _ = try await site.manage(.get, created.clientID, token: token)
      _ = try await site.manage(.put, created.clientID, token: token, metadata)
      _ = try await site.manage(.delete, created.clientID, token: token)
    }
  }
}
