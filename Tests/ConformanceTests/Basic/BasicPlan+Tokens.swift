import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

extension BasicPlan {
  @Suite("oidcc-basic-certification-test-plan: codes, tokens and request objects")
  struct Tokens {
    @Test("oidcc-codereuse: a code used a second time is invalid_grant")
    func codeReuse() async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site)
        let signIn = try await party.signIn()
        expectTokenError(try await party.redeem(signIn.code), "invalid_grant")
      }
    }

    @Test("oidcc-codereuse-30seconds: 30 seconds later too, and the access token that it gave ends")
    func codeReuseLater() async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site)
        let signIn = try await party.signIn()
        #expect(try await site.userinfo(signIn.accessToken).status == .ok)
        site.fixture.clock.advance(by: .seconds(30))
        expectTokenError(try await party.redeem(signIn.code), "invalid_grant")
        #expect(try await site.userinfo(signIn.accessToken).status == .unauthorized)
      }
    }

    @Test(
      "oidcc-userinfo-get, oidcc-userinfo-post-header: userinfo by GET and by POST", arguments: [HTTPRequest.Method.get, .post])
    func userinfo(method: HTTPRequest.Method) async throws {
      try await withSite { site in
        let signIn = try await RelyingParty.configured(on: site).signIn()
        let headers: HTTPFields = [.authorization: "Bearer \(signIn.accessToken)"]
        let reply = try await site.send(method, "/userinfo", headers: headers)
        #expect(reply.status == .ok && reply.headers[.contentType]?.hasPrefix("application/json") == true)
        #expect(reply.json["sub"] == signIn.idToken.sub)
      }
    }

    @Test("oidcc-userinfo-post-body: a token in the body is no token, as the case allows")
    func userinfoBody() async throws {
      try await withSite { site in
        let signIn = try await RelyingParty.configured(on: site).signIn()
        let reply = try await site.post("/userinfo", [("access_token", signIn.accessToken)])
        #expect(reply.status == .unauthorized && reply.headers[.wwwAuthenticate] != nil)
      }
    }

    @Test("oidcc-refresh-token: a refresh token works, for its own client and no other")
    func refreshToken() async throws {
      try await withSite { site in
        let party = try await RelyingParty.registered(on: site)
        let other = try await RelyingParty.registered(on: site)
        let first = try await party.signIn()
        expectTokenError(try await other.refresh(first.refreshToken), "invalid_grant")
        let reply = try await party.refresh(first.refreshToken)
        #expect(reply.status == .ok)
        let idToken = try await IDToken.verified(try #require(reply.json["id_token"]), for: party)
        #expect(
          idToken.sub == first.idToken.sub && idToken.iss == first.idToken.iss && idToken.authTime == first.idToken.authTime)
        let access = try #require(reply.json["access_token"])
        #expect(access != first.accessToken)
        #expect(try await site.userinfo(access).json["sub"] == first.idToken.sub)
      }
    }

    /// A request object with nothing but a promise.
    private func unsigned(_ party: RelyingParty, _ changes: [String: JSONValue] = [:]) throws -> String {
      let claims = party.request.list.reduce(into: [String: JSONValue]()) { $0[$1.name] = .string($1.value) }
      return try jwt(.none(id: nil), claims.merging(changes) { $1 })
    }

    @Test(
      """
      oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: \
      an unsigned request object is request_not_supported, and never ignored
      """)
    func unsignedRequestObject() async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site)
        let request = party.request.with("request", try self.unsigned(party))
        expectErrorRedirect(try await party.browser().authorize(request), "request_not_supported", request)
        #expect(!(try await site.metadata()).strings("request_object_signing_alg_values_supported").contains("none"))
      }
    }

    @Test(
      """
      oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: \
      a request_uri that is not registered is request_uri_not_supported
      """)
    func unsignedRequestURI() async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site)
        let request = party.request.with("request_uri", "https://web.example/request.jwt")
        expectErrorRedirect(try await party.browser().authorize(request), "request_uri_not_supported", request)
      }
    }

    @Test(
      """
      oidcc-ensure-request-object-with-redirect-uri: of two redirect URIs the one in the object counts; \
      where the object cannot be read, the other has to be a registered one
      """)
    func redirectURIInObject() async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site)
        let bad = party.request.with("redirect_uri", "https://web.example/other")
        expectErrorPage(try await party.browser().authorize(bad.with("request", try self.unsigned(party))))

        let key = TestSigningKey.es256(id: "1")
        let signer = try await RelyingParty.registered(on: site, key: key)
        let claims = signer.request.list.reduce(into: signer.objectClaims) { $0[$1.name] = .string($1.value) }
        let request = signer.request.with("redirect_uri", "https://rp.example/other").with("request", try jwt(key, claims))
        try await signer.signIn(request)
      }
    }
  }
}
