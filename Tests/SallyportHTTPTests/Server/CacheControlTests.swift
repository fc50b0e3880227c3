import HTTPTypes
import ServerTestSupport
import Testing

@Suite("Which responses may be stored")
struct CacheControlTests {
  @Test(
    "a response has 'no-store' if its route does not set Cache-Control",
    arguments: ["/authorize", "/sign-out", "/.well-known/openid-configuration"])
  func otherMethods(path: String) async throws {
    try await withSite { site in
      let reply = try await site.send(.options, path)
      #expect(reply.status == .noContent)
      #expect(reply.headers[values: .cacheControl] == ["no-store"])
    }
  }

  @Test("RFC 6749 §5.1, RFC 9700 §4.2: no page, redirect, or error of a sign-in may be stored by a browser or a proxy")
  func interactions() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let first = try await browser.get("/authorize?\(AuthorizeParameters().query)")
      let signIn = first.location == nil ? first : try await browser.open(try #require(first.location))
      let signedIn = try await browser.post(
        try #require(signIn.formAction),
        [("csrf", try #require(signIn.csrf)), ("username", "ada"), ("password", TestServer.password)])
      let consent = try await browser.open(try #require(signedIn.location))
      let response = try await browser.decide(consent, "allow")
      #expect(response.parameters["code"] != nil)
      let signOut = try await browser.get("/sign-out")
      let home = try await browser.get("/")
      let invalid = try await browser.get("/authorize?client_id=nobody")
      let unknown = try await browser.get("/nothing")
      for reply in [first, signIn, signedIn, consent, response, signOut, home, invalid, unknown] {
        #expect(reply.headers[values: .cacheControl] == ["no-store"], "\(reply.status) \(reply.location ?? "")")
      }
    }
  }
}
