import HTTPTypes
import Hummingbird
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Token and revocation requests")
struct TokenRequestTests {
  static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

  @Test(
    "S-29: the password grant and other unsupported grants are rejected",
    arguments: [
      "password", "implicit", "PASSWORD",
      "urn:ietf:params:oauth:grant-type:jwt-bearer", "urn:ietf:params:oauth:grant-type:token-exchange", "authorization_code ",
      "x",
    ])
  func otherGrants(grantType: String) async throws {
    try await withSite { site in
      try await site.expectingSameRowCounts {
        let reply = try await site.post(
          "/token",
          [("grant_type", grantType), ("client_id", "loopback"), ("username", "ada"), ("password", TestServer.password)])
        expectTokenError(reply, "unsupported_grant_type")
      }
    }
  }

  @Test(
    "S-30, S-39: only POST is supported, and the Allow field says so", arguments: ["/token", "/revoke"],
    ["GET", "PUT", "DELETE", "PATCH"])
  func methods(path: String, method: String) async throws {
    try await withSite { site in
      let method = try #require(HTTPRequest.Method(rawValue: method))
      let reply = try await site.send(method, path, headers: Self.form)
      expectTokenError(reply, "invalid_request", status: .methodNotAllowed)
      #expect(reply.headers[.allow] == "POST")
    }
  }

  @Test("S-39: parameters in the URL are rejected, even in addition to a valid form")
  func parametersInURL() async throws {
    try await withSite { site in
      let code = try await site.code()
      let body = FormParameters.encode([
        ("grant_type", "authorization_code"), ("code", code), ("client_id", "loopback"),
        ("redirect_uri", TestClient.loopback.requestedURI), ("code_verifier", AuthorizeParameters.verifier),
      ])
      try await site.expectingSameRowCounts {
        for uri in ["/token?\(body)", "/token?x=1", "/token?client_secret=x"] {
          let reply = try await site.send(.post, uri, headers: Self.form, body: Array((body).utf8))
          expectTokenError(reply, "invalid_request")
        }
        for reply in [
          try await site.send(.get, "/token?\(body)"), try await site.send(.get, "/revoke?token=x&client_id=loopback"),
        ] { expectTokenError(reply, "invalid_request", status: .methodNotAllowed) }
      }
      #expect(try await site.redeem(code).status == .ok)
    }
  }

  @Test(
    "S-39: a repeated parameter is rejected, known or unknown",
    arguments: [
      "grant_type", "code", "redirect_uri", "client_id", "code_verifier", "unknown",
    ])
  func repeated(name: String) async throws {
    try await withSite { site in
      let code = try await site.code()
      let fields = [
        ("grant_type", "authorization_code"), ("code", code), ("client_id", "loopback"),
        ("redirect_uri", TestClient.loopback.requestedURI), ("code_verifier", AuthorizeParameters.verifier), ("unknown", "x"),
      ]
      try await site.expectingSameRowCounts {
        let repetition = fields.filter { $0.0 == name }
        expectTokenError(try await site.post("/token", fields + repetition), "invalid_request")
        expectTokenError(try await site.post("/token", fields + [(name, "")]), "invalid_request")
      }
      #expect(try await site.post("/token", fields).status == .ok)
    }
  }

  @Test("S-39: a repeated parameter is also rejected at the revocation endpoint")
  func repeatedAtRevocation() async throws {
    try await withSite { site in
      let token = try await site.tokens().refresh
      for name in ["token", "client_id", "token_type_hint"] {
        let fields = [("token", token), ("client_id", "loopback"), ("token_type_hint", "refresh_token")]
        expectTokenError(try await site.post("/revoke", fields + fields.filter { $0.0 == name }), "invalid_request")
      }
      #expect(try site.fixture.revocations().isEmpty)
    }
  }

  static let bodies: [(type: String?, body: [UInt8], status: HTTPResponse.Status)] = [
    (nil, Array("grant_type=refresh_token".utf8), .badRequest), ("application/json", Array("{}".utf8), .badRequest),
    ("text/plain", Array("grant_type=refresh_token".utf8), .badRequest),
    ("multipart/form-data", Array("grant_type=refresh_token".utf8), .badRequest),
    ("application/x-www-form-urlencoded", [], .badRequest), ("application/x-www-form-urlencoded", Array("%".utf8), .badRequest),
    ("application/x-www-form-urlencoded", Array("grant_type=%zz".utf8), .badRequest),
    ("application/x-www-form-urlencoded", Array("grant_type=%ff".utf8), .badRequest),
    ("application/x-www-form-urlencoded", Array("grant_type".utf8), .badRequest),
    // `a=` and two bytes that are not UTF-8.
    ("application/x-www-form-urlencoded", [0x61, 0x3D, 0xFF, 0xFE], .badRequest),
    ("application/x-www-form-urlencoded", [UInt8](repeating: 0x61, count: 70_000), .contentTooLarge),
  ]

  @Test("S-30: for an invalid body, the error is JSON and must not be cached", arguments: bodies, ["/token", "/revoke"])
  func hostileBodies(body: (type: String?, body: [UInt8], status: HTTPResponse.Status), path: String) async throws {
    try await withSite { site in
      var headers: HTTPFields = [:]
      headers[.contentType] = body.type
      try await site.expectingSameRowCounts {
        let reply = try await site.send(.post, path, headers: headers, body: body.body)
        expectTokenError(reply, "invalid_request", status: body.status)
      }
    }
  }

  @Test("S-30: a storage failure causes server_error in JSON with status 503")
  func storageFails() async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      try TestDatabase.close(site.fixture.store)
      expectTokenError(try await site.refresh(tokens.refresh), "server_error", status: .serviceUnavailable)
      #expect(try await site.userinfo(tokens.access).status == .serviceUnavailable)
      // After 250 ms, the server reads the client from the store again instead of its cache.
      site.fixture.clock.advance(by: .milliseconds(250))
      let page = try await site.send(.get, "/authorize?\(AuthorizeParameters().query)")
      expectErrorPage(page, status: .serviceUnavailable)
    }
  }

  @Test("the content type may have a charset parameter, and is compared without regard to case")
  func contentTypes() async throws {
    try await withSite { site in
      for type in [
        "application/x-www-form-urlencoded; charset=utf-8", "Application/X-WWW-Form-URLEncoded",
        "application/x-www-form-urlencoded ;charset=UTF-8",
      ] {
        let reply = try await site.send(.post, "/token", headers: [.contentType: type], body: Array(("grant_type=x").utf8))
        expectTokenError(reply, "unsupported_grant_type")
      }
    }
  }
}
