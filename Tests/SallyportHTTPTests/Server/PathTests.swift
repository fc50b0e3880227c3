import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import Testing

@Suite("Canonical paths")
struct PathTests {
  @Test(
    "a path with an empty segment or a trailing slash reaches no route",
    arguments: [
      "/", "/token", "/revoke", "/introspect", "/par", "/device_authorization", "/authorize", "/userinfo", "/jwks.json",
      "/register", "/register/client", "/device", "/end-session", "/sign-out", "/.well-known/openid-configuration",
    ])
  func otherSpellings(path: String) async throws {
    try await withSite { site in
      let spellings = path == "/" ? ["//", "///"] : ["/\(path)", "\(path)/", "\(path)//", path.replacing("/", with: "//")]
      for spelling in spellings {
        for method in [HTTPRequest.Method.get, .post, .options] {
          for query in ["", "?a=/"] {
            let status = try await site.send(method, spelling + query).status
            #expect(status == .notFound, "\(method) \(spelling)\(query)")
          }
        }
      }
      #expect(try await site.send(.get, path + "?a=//").status != .notFound)
    }
  }

  @Test(
    "under an issuer with a path, a path with an empty segment or a trailing slash reaches no route",
    arguments: ["/tenant//token", "//tenant/token", "/tenant/token/", "/tenant/"])
  func belowIssuer(path: String) async throws {
    try await withSite(issuer: "https://id.example/tenant") { site in
      let status = try await site.send(.post, path).status
      #expect(status == .notFound)
      #expect(try await site.send(.post, "/tenant/token").status != .notFound)
      #expect(try await site.send(.get, "/tenant").status == .ok)
    }
  }
}
