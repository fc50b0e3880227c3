import HTTPTypes
import SallyportServer
import ServerTestSupport
import Testing

@Suite("HTTP methods")
struct MethodTests {
  static let readable = [
    "/", "/sign-out", "/authorize", "/authorize?client_id=nobody", "/interaction?i=x", "/interaction/switch-account?i=x",
    "/userinfo", "/jwks.json", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/favicon.ico",
  ]

  @Test("the response to HEAD is the response to GET without the body (RFC 9110 §9.3.2)", arguments: Self.readable)
  func head(uri: String) async throws {
    try await withSite { site in
      let (get, head) = (try await site.send(.get, uri), try await site.send(.head, uri))
      #expect(head.status == get.status && head.status != .notFound)
      #expect(head.body.isEmpty)
      // Each response has its own request ID, and a response to HEAD may omit Content-Length.
      let differing: Set = ["content-length", "x-request-id"]
      #expect(
        head.headers.filter { !differing.contains($0.name.canonicalName) }
          == get.headers.filter { !differing.contains($0.name.canonicalName) })
    }
  }

  @Test("HEAD of an authorization request leads to the sign-in page")
  func headOfFlow() async throws {
    try await withSite { site in
      let request = "/authorize?\(AuthorizeParameters().query)"
      let reply = try await site.send(.head, request)
      #expect(reply.location?.hasPrefix("https://id.example/interaction?i=") == true)
    }
  }

  @Test(
    "an unsupported method is rejected with a list of the supported ones (RFC 9110 §15.5.6)",
    arguments: [
      ("/", "GET, HEAD, OPTIONS"), ("/sign-out", "GET, HEAD, OPTIONS, POST"), ("/authorize", "GET, HEAD, OPTIONS, POST"),
      ("/interaction?i=x", "GET, HEAD, OPTIONS"), ("/interaction/sign-in?i=x", "GET, HEAD, OPTIONS, POST"),
      ("/userinfo", "GET, HEAD, OPTIONS, POST"), ("/jwks.json", "GET, HEAD, OPTIONS"), ("/favicon.ico", "GET, HEAD, OPTIONS"),
      ("/.well-known/openid-configuration", "GET, HEAD, OPTIONS"),
    ])
  func others(uri: String, allowed: String) async throws {
    try await withSite { site in
      for method in [HTTPRequest.Method.put, .patch, .delete] {
        let reply = try await site.send(method, uri)
        #expect(reply.status == .methodNotAllowed && reply.headers[.allow] == allowed)
        #expect(reply.isPage && reply.headers[.xContentTypeOptions] == "nosniff")
        #expect(reply.body.contains("This address cannot be opened in this way."))
      }
    }
  }

  @Test("OPTIONS lists the methods of a page, and allows no other origin", arguments: ["/", "/authorize", "/sign-out"])
  func options(uri: String) async throws {
    try await withSite { site in
      let reply = try await site.send(.options, uri, headers: [.origin: "https://evil.example"])
      #expect(reply.status == .noContent && reply.headers[.allow]?.hasPrefix("GET, HEAD, OPTIONS") == true)
      #expect(reply.headers[.accessControlAllowOrigin] == nil)
    }
  }

  @Test("an unknown path returns 404 for every method")
  func nowhere() async throws {
    try await withSite { site in
      for method in [HTTPRequest.Method.get, .head, .options, .post, .put] {
        let reply = try await site.send(method, "/nothing")
        #expect(reply.status == .notFound)
      }
    }
  }
}
