import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Userinfo")
struct UserinfoTests {
  @Test(
    "the scope determines the claims",
    arguments: [
      ("openid", ["sub"]), ("openid profile", ["name", "preferred_username", "sub"]), ("openid email", ["email", "sub"]),
    ])
  func scopes(scope: String, names: [String]) async throws {
    try await withSite { site in
      let response = try await site.redeem(try await site.code(AuthorizeParameters().with("scope", scope)))
      let token = try #require(response.json["access_token"])
      for method in [HTTPRequest.Method.get, .post] {
        // The name of the scheme is case-insensitive.
        let reply = try await site.send(method, "/userinfo", headers: [.authorization: "bearer \(token)"])
        #expect(reply.status == .ok)
        #expect(reply.headers[.contentType] == "application/json")
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(reply.json.keys.sorted() == names)
        let subject = try decodedClaims(of: try #require(response.json["id_token"]))["sub"] as? String
        #expect(reply.json["sub"] == subject)
        #expect(reply.json["sub"]?.hasPrefix("acct-") == true)
      }
    }
  }

  @Test(
    "R-02: a request whose Authorization field is missing or contains no token gets a challenge without an error code",
    arguments: [nil, "", "Basic x", "Bearer", "Bearer a b"])
  func missing(authorization: String?) async throws {
    try await withSite { site in
      var headers: HTTPFields = [:]
      headers[.authorization] = authorization
      let reply = try await site.send(.get, "/userinfo", headers: headers)
      #expect(reply.status == .unauthorized)
      #expect(reply.headers[.wwwAuthenticate] == #"Bearer realm="userinfo""#)
      #expect(reply.headers[.cacheControl] == "no-store" && reply.body.isEmpty)
    }
  }

  @Test("a token that is only in the query is not accepted")
  func tokenInQuery() async throws {
    try await withSite { site in
      let token = try await site.tokens().access
      #expect(try await site.send(.get, "/userinfo?access_token=\(token)").status == .unauthorized)
    }
  }

  @Test("RFC 6750 §2.2: the token may be in a posted form, but in no other body")
  func tokenInForm() async throws {
    try await withSite { site in
      let token = try await site.tokens().access
      let reply = try await site.post("/userinfo", [("access_token", token)])
      #expect(reply.status == .ok && reply.json["sub"]?.hasPrefix("acct-") == true)
      #expect(try await site.post("/userinfo", [("access_token", token + "x")]).status == .unauthorized)
      let body = Array("access_token=\(token)".utf8)
      let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
      #expect(try await site.send(.get, "/userinfo", headers: form, body: body).status == .unauthorized)
      for type in ["text/plain", "application/json", "multipart/form-data"] {
        #expect(try await site.send(.post, "/userinfo", headers: [.contentType: type], body: body).status == .unauthorized)
      }
    }
  }

  @Test(
    "RFC 6750 §2 and §3.1: a request with two tokens, or a malformed form, causes invalid_request",
    arguments: [
      ("/userinfo", "access_token=TOKEN", true), ("/userinfo?access_token=TOKEN", "", true),
      ("/userinfo?access_token=TOKEN", "access_token=TOKEN", false),
      ("/userinfo", "access_token=TOKEN&access_token=TOKEN", false),
      ("/userinfo", "access_token=%zz", false),
    ])
  func twoTokens(path: String, body: String, hasHeader: Bool) async throws {
    try await withSite { site in
      let token = try await site.tokens().access
      var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
      headers[.authorization] = hasHeader ? "Bearer \(token)" : nil
      let reply = try await site.send(
        .post, path.replacing("TOKEN", with: token), headers: headers, body: Array(body.replacing("TOKEN", with: token).utf8))
      #expect(reply.status == .badRequest)
      #expect(reply.headers[.wwwAuthenticate] == #"Bearer realm="userinfo", error="invalid_request""#)
    }
  }

  @Test("R-02: a token without openid gets insufficient_scope")
  func insufficientScope() async throws {
    try await withSite { site in
      let response = try await site.redeem(try await site.code(AuthorizeParameters().with("scope", "notes")))
      let reply = try await site.userinfo(try #require(response.json["access_token"]))
      #expect(reply.status == .forbidden)
      #expect(reply.headers[.wwwAuthenticate] == #"Bearer realm="userinfo", error="insufficient_scope", scope="openid""#)
    }
  }

  @Test("R-01, R-02: anything but a valid access token causes invalid_token", arguments: HostileToken.allCases)
  func hostile(kind: HostileToken) async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      let reply = try await site.userinfo(try kind.make(from: tokens, of: site.fixture))
      #expect(reply.status == .unauthorized)
      #expect(reply.headers[.wwwAuthenticate] == #"Bearer realm="userinfo", error="invalid_token""#)
      #expect(reply.body.isEmpty)
      // A token that the test signs without a change is accepted, so each case fails only because of its change.
      let unchanged = try HostileToken.sign(header: HostileToken.header, claims: HostileToken.claims(of: tokens.access))
      #expect(try await site.userinfo(unchanged).status == .ok)
    }
  }

  @Test("R-01: an access token expires, even if it was verified before")
  func expires() async throws {
    try await withSite { site in
      let token = try await site.tokens().access
      site.fixture.clock.advance(by: .seconds(599))
      #expect(try await site.userinfo(token).status == .ok)
      site.fixture.clock.advance(by: .seconds(1))
      #expect(try await site.userinfo(token).status == .unauthorized)
    }
  }

  @Test("an access token has the form of RFC 9068")
  func accessTokenClaims() async throws {
    try await withSite { site in
      let tokens = try await site.tokens(.rs256)
      let header = try #require(Base64URL.decode(tokens.access.prefix { $0 != "." }))
      let fields = try JSONDecoder().decode([String: String].self, from: Data(header))
      #expect(fields == ["typ": "at+jwt", "alg": "ES256", "kid": try TestKeys.key(.es256).id])
      let claims = try decodedClaims(of: tokens.access)
      let now = site.fixture.clock.now.seconds
      #expect(claims["iss"] as? String == "https://id.example" && claims["aud"] as? String == "https://id.example")
      #expect(claims["client_id"] as? String == "rs256")
      #expect(claims["exp"] as? Int64 == now + 600 && claims["iat"] as? Int64 == now && claims["auth_time"] as? Int64 == now)
      #expect(claims["scope"] as? String == "openid profile email offline_access")
      #expect((claims["jti"] as? String)?.count == 22)
      #expect((claims["sub"] as? String)?.hasPrefix("acct-") == true)
      let idHeader = try #require(Base64URL.decode(tokens.id.prefix { $0 != "." }))
      #expect(try JSONDecoder().decode([String: String].self, from: Data(idHeader))["alg"] == "RS256")
    }
  }

  @Test("without offline_access, a grant ends when all of its access tokens have expired, and then its rows are deleted")
  func shortGrant() async throws {
    try await withSite { site in
      let code = try await site.code(AuthorizeParameters().with("scope", "openid"))
      // The code is valid for 60 seconds.
      site.fixture.clock.advance(by: .seconds(59))
      let token = try #require(try await site.redeem(code).json["access_token"])
      // The access token is valid for 600 seconds.
      site.fixture.clock.advance(by: .seconds(599))
      _ = try await site.fixture.store.removeExpired(before: site.fixture.clock.now, limit: 100)
      #expect(try await site.userinfo(token).status == .ok)
      site.fixture.clock.advance(by: .seconds(5))
      _ = try await site.fixture.store.removeExpired(before: site.fixture.clock.now, limit: 100)
      #expect(try await site.userinfo(token).status == .unauthorized)
      #expect(try site.fixture.rows()["oauth_grant"] == 0)
    }
  }
}
