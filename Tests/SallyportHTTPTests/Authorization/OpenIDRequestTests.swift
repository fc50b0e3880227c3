import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("OpenID Connect parameters of authorization requests")
struct OpenIDRequestTests {
  @Test(
    """
    S-41: if the id_token_hint is Ada's and the session is Bob's, the sign-in page is shown, and a sign-in by Bob fails with \
    login_required; with prompt=none, the request fails immediately
    """)
  func hint() async throws {
    try await withSite { site in
      let tokens = try await site.tokens(.claimedHTTPS)
      let request = AuthorizeParameters(.claimedHTTPS).with("id_token_hint", tokens.id)
      #expect(try await TestBrowser(site).complete(request).parameters["code"] != nil)
      let bob = TestBrowser(site)
      _ = try await bob.complete(AuthorizeParameters(.claimedHTTPS), as: "bob")
      site.fixture.clock.advance(by: .seconds(1))
      let silent = request.with("prompt", "none")
      expectErrorRedirect(try await bob.authorize(silent), "login_required", silent)
      let page = try await bob.authorize(request)
      #expect(page.isSignInPage)
      expectErrorRedirect(try await bob.signIn(page, as: "bob"), "login_required", request)
    }
  }

  /// Returns the claims of the token, with `sub` replaced.
  private func claims(of token: String, sub: String) throws -> JSONValue {
    var claims = try HostileToken.claims(of: token)
    claims["sub"] = .string(sub)
    return claims
  }

  @Test("S-41: an id_token_hint that is not an ID token of this server is rejected; an expired ID token is accepted")
  func hintValues() async throws {
    try await withSite { site in
      let tokens = try await site.tokens(.claimedHTTPS)
      let parts = tokens.id.split(separator: ".")
      let forged =
        "\(parts[0]).\(Base64URL.encode(try WireJSON.encode(self.claims(of: tokens.id, sub: "acct-other")))).\(parts[2])"
      for hint in ["x", "x.y.z", tokens.access, String(tokens.id.dropLast(3)), forged] {
        let request = AuthorizeParameters(.claimedHTTPS).with("id_token_hint", hint)
        expectErrorRedirect(try await TestBrowser(site).authorize(request), "invalid_request", request)
      }
      site.fixture.clock.advance(by: .seconds(86_400))
      let request = AuthorizeParameters(.claimedHTTPS).with("id_token_hint", tokens.id)
      #expect(try await TestBrowser(site).authorize(request).isSignInPage)
    }
  }

  @Test(
    """
    OpenID Connect Core §5.5: individual claims can be requested, are shown on the consent page, and are returned where \
    requested; a malformed claims parameter is rejected
    """)
  func claims() async throws {
    try await withSite { site in
      let claims = #"{"id_token":{"email":{"essential":true},"phone_number":null},"userinfo":{"name":null}}"#
      let request = AuthorizeParameters().with("scope", "openid offline_access").with("claims", claims)
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(request))
      #expect(page.body.contains("See your email address") && page.body.contains("See your name"))
      let tokens = try Tokens(try await site.redeem(try #require(try await browser.decide(page, "allow").parameters["code"])))
      let idToken = try decodedClaims(of: tokens.id)
      #expect(idToken["email"] as? String == "ada@example.com" && idToken["name"] == nil && idToken["phone_number"] == nil)
      let userinfo = try await site.userinfo(tokens.access).json
      #expect(userinfo["name"] == "Ada" && userinfo["email"] == nil)
      for wrong in ["x", "[]", #"{"id_token":[]}"#, #"{"id_token":{"email":1}}"#] {
        let request = AuthorizeParameters().with("claims", wrong)
        expectErrorRedirect(try await TestBrowser(site).authorize(request), "invalid_request", request)
      }
    }
  }

  @Test(
    "form_post: a page posts the authorization response or the error response; private-use redirects do not support form_post")
  func formPost() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.web).with("response_mode", "form_post")
      let response = try await TestBrowser(site).complete(request)
      #expect(response.isPage && response.status == .ok && response.formAction == "https://web.example/cb")
      #expect(response.body.contains(#"name="state" value="af0ifjsldkj""#) && response.body.contains(#"name="iss""#))
      let code = try #require(response.body.firstMatch(of: /name="code" value="([^"]*)"/).map { String($0.1) })
      #expect(try await site.redeem(code, .web).status == .ok)
      let policy = try #require(response.headers[.contentSecurityPolicy])
      #expect(policy.contains("script-src 'sha256-"))
      let wrong = try await TestBrowser(site).authorize(request.with("scope", "admin"))
      #expect(wrong.isPage && wrong.body.contains(#"name="error" value="invalid_scope""#))
      let app = AuthorizeParameters(.privateUse).with("response_mode", "form_post")
      expectErrorRedirect(try await TestBrowser(site).authorize(app), "invalid_request", app)
    }
  }

  @Test("userinfo_signed_response_alg: the response is a JWT for the client", arguments: ["RS256", "ES256"])
  func signedUserinfo(algorithm: String) async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.details.userinfoAlgorithm = algorithm
      try await site.add(client)
      let reply = try await site.userinfo(try await site.tokens().access)
      #expect(reply.headers[.contentType] == "application/jwt")
      let jws = try JWSCompact(reply.body)
      #expect(jws.header.algorithm == algorithm)
      let keySet = try await site.send(.get, "/jwks.json").body
      let signatureAlgorithm = try #require(SignatureAlgorithm(rawValue: algorithm))
      var isSigned = false
      for key in try JSONDecoder().decode(JSONWebKeySet.self, from: Data(keySet.utf8)).keys {
        // A key for another algorithm causes an error.
        guard let key = try? await VerificationKey(key, for: signatureAlgorithm), key.id == jws.header.keyID else { continue }
        isSigned = jws.isSigned(by: key)
      }
      #expect(isSigned)
      let claims = try decodedClaims(of: reply.body)
      #expect(claims["iss"] as? String == "https://id.example" && claims["aud"] as? String == "loopback")
      #expect(claims["email"] as? String == "ada@example.com")
    }
  }
}
