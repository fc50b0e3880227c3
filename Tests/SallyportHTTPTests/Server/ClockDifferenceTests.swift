import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportHTTP
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Two servers that share a database, and whose clocks differ by five seconds, which is tolerated.
@Suite("Servers whose clocks differ")
struct ClockDifferenceTests {
  private static let offsets: [Duration] = [.seconds(-5), .seconds(5)]

  /// Runs `body` twice with two servers, once in each order. The clock of one server differs from that of the other by
  /// `offset`.
  private func withSites(_ offset: Duration, _ body: @Sendable (Site, Site) async throws -> Void) async throws {
    try await withSite { first in
      // This makes the signing keys older than the difference. A server does not sign with a key if, by the server's
      // clock, the key is not active yet.
      first.fixture.clock.advance(by: .seconds(60))
      let other = try first.fixture.otherProcess(clockOffset: offset)
      let router = AuthorizationServerRouter(server: other, failuresPerSecond: 0)
      try await HTTPTestSupport.withSite(first.fixture, router) { second in
        try await body(first, second)
        try await body(second, first)
      }
    }
  }

  @Test("a code and refresh tokens of one server can be redeemed at the other at once", arguments: Self.offsets)
  func tokens(_ offset: Duration) async throws {
    try await self.withSites(offset) { issuing, redeeming in
      var tokens = try Tokens(try await redeeming.redeem(try await issuing.code()))
      for site in [issuing, redeeming, issuing] {
        #expect(try await site.userinfo(tokens.access).status == .ok)
        tokens = try Tokens(try await site.refresh(tokens.refresh))
      }
      // A repeated refresh gets the same successor.
      let successors = [try await issuing.refresh(tokens.refresh), try await redeeming.refresh(tokens.refresh)]
      #expect(try Set(successors.map { try Tokens($0).refresh }).count == 1)
    }
  }

  @Test("a code is valid for at least 50 of its 60 seconds at the other server", arguments: Self.offsets)
  func lateCode(_ offset: Duration) async throws {
    try await self.withSites(offset) { issuing, redeeming in
      let code = try await issuing.code()
      issuing.fixture.clock.advance(by: .seconds(50))
      #expect(try await redeeming.redeem(code).status == .ok)
    }
  }

  @Test("a sign-in that begins at one server continues at the other, and the session is valid at both", arguments: Self.offsets)
  func sessions(_ offset: Duration) async throws {
    try await self.withSites(offset) { beginning, continuing in
      let (first, second) = (TestBrowser(beginning), TestBrowser(continuing))
      let signIn = try await first.authorize(AuthorizeParameters())
      second.cookies = first.cookies
      let consent = try await second.signIn(signIn)
      first.cookies = second.cookies
      #expect(try await first.decide(consent, "allow").parameters["code"] != nil)
      for browser in [first, second] {
        #expect(try await !browser.authorize(AuthorizeParameters()).isSignInPage)
        #expect(try await !browser.authorize(AuthorizeParameters().with("max_age", "30")).isSignInPage)
      }
    }
  }

  @Test("S-37: after a password change at one server, apps and devices get tokens at the other at once", arguments: Self.offsets)
  func passwordChange(_ offset: Duration) async throws {
    try await self.withSites(offset) { changing, issuing in
      let device = try await issuing.beginDevice()
      let (first, second) = (TestBrowser(changing), TestBrowser(issuing))
      try await changing.useWeakPassword()
      let signIn = try await first.signIn(try await first.authorize(AuthorizeParameters()), password: Site.weakPassword)
      let consent = try await first.change(signIn, TestServer.otherPassword)
      second.cookies = first.cookies
      let code = try #require(try await second.decide(consent, "allow").parameters["code"])
      try await second.allow(device)
      let tokens = [
        try Tokens(try await changing.redeem(code)), try Tokens(try await issuing.poll(device, waiting: 0)),
      ]
      for token in tokens { #expect(try await changing.refresh(token.refresh).status == .ok) }
    }
  }

  @Test("a device whose polls reach both servers gets slow_down at most twice", arguments: Self.offsets)
  func polls(_ offset: Duration) async throws {
    try await self.withSites(offset) { first, second in
      let device = try await first.beginDevice()
      var slowDowns = 0
      for round in 0..<8 {
        // Each slow_down raises the interval by five seconds.
        let reply = try await (round.isMultiple(of: 2) ? first : second).poll(device, waiting: Int64(5 + 5 * slowDowns))
        if reply.json["error"] == "slow_down" { slowDowns += 1 } else { expectTokenError(reply, "authorization_pending") }
      }
      #expect(slowDowns <= 2)
    }
  }

  @Test("a request with prompt=login that begins at one server needs one sign-in at the other", arguments: Self.offsets)
  func loginPrompt(_ offset: Duration) async throws {
    try await self.withSites(offset) { beginning, continuing in
      let (first, second) = (TestBrowser(beginning), TestBrowser(continuing))
      let signIn = try await first.authorize(AuthorizeParameters().with("prompt", "login"))
      second.cookies = first.cookies
      #expect(try await second.signIn(signIn).isConsentPage)
      // The session does not satisfy the next request of this kind.
      #expect(try await second.authorize(AuthorizeParameters().with("prompt", "login")).isSignInPage)
    }
  }

  @Test("a DPoP nonce of one server is valid at the other, and the access token is valid at both", arguments: Self.offsets)
  func proofs(_ offset: Duration) async throws {
    try await self.withSites(offset) { issuing, redeeming in
      let key = try SoftwareDPoPKeys().makeKey()
      let code = try await issuing.code()
      let withoutNonce = try await issuing.post(
        "/token", issuing.redemption(code), proof: try issuing.proof(key, "/token", nonce: nil))
      let nonce = try #require(withoutNonce.headers[.dpopNonce])
      let reply = try await redeeming.post(
        "/token", issuing.redemption(code), proof: try issuing.proof(key, "/token", nonce: nonce))
      let tokens = try Tokens(reply)
      for site in [issuing, redeeming] {
        let proof = try site.proof(key, "/userinfo", method: "GET", accessToken: tokens.access, nonce: nonce)
        let headers: HTTPFields = [.authorization: "DPoP \(tokens.access)", .dpop: proof]
        #expect(try await site.send(.get, "/userinfo", headers: headers).status == .ok)
      }
    }
  }
}
