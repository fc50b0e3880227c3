import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

/// Tests a server without three features that RFC 8252 describes: a stronger authentication factor (§8.7), the
/// detection of embedded web views (§8.12), and sign-in through an upstream provider (§4.1).
@Suite("Features that the server does not have, or that are off")
struct UnsupportedFeatureTests {
  @Test(
    "if the server does not offer the required factor, the error is unmet_authentication_requirements, without a sign-in",
    arguments: ["3", "phrh", "urn:rsa:names:tc:SAML:2.0:ac:classes:FIDO"])
  func strongerFactor(context: String) async throws {
    try await withSite { site in
      let signedInBrowser = TestBrowser(site)
      _ = try await signedInBrowser.complete(AuthorizeParameters(.claimedHTTPS))
      let essential = AuthorizeParameters(.claimedHTTPS).with(
        "claims", #"{"id_token":{"acr":{"essential":true,"value":"\#(context)"}}}"#)
      // The response is the same whether or not a user is signed in.
      for browser in [TestBrowser(site), signedInBrowser] {
        expectErrorRedirect(try await browser.authorize(essential), "unmet_authentication_requirements", essential)
      }
      let voluntary = AuthorizeParameters(.claimedHTTPS).with("acr_values", context)
      let tokens = try Tokens(try await site.redeem(try await site.code(voluntary), .claimedHTTPS))
      let claims = try decodedClaims(of: tokens.id)
      #expect(claims["acr"] as? String != context && claims["amr"] as? [String] == ["pwd"])
    }
  }

  /// User-agent strings that browsers and embedded web views send.
  static let userAgents = [
    // Android's WebView, which also names its app in X-Requested-With.
    "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A.240305.019; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 "
      + "Chrome/122.0.6261.64 Mobile Safari/537.36",
    // WKWebView, whose string differs from Safari's only at the end.
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
    // An app that appends its own name.
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS]",
    // Safari on the same phone. Browser tabs in apps send the same string.
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 "
      + "Safari/604.1",
    // Chrome on Android, Firefox on Linux, and an empty string.
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:123.0) Gecko/20100101 Firefox/123.0", "",
  ]

  @Test(
    "if the detection of web views is off, an embedded web view gets the same pages and headers as a browser",
    arguments: userAgents)
  func userAgent(name: String) async throws {
    try await withSite(configure: { $0.webViews = .off }) { site in
      let headers: HTTPFields = [.userAgent: name, .xRequestedWith: "com.example.app"]
      // Only the named browser sends a User-Agent and names an app.
      let (plainBrowser, namedBrowser) = (TestBrowser(site), TestBrowser(site, headers: headers))
      let plainPage = try await plainBrowser.authorize(AuthorizeParameters())
      let namedPage = try await namedBrowser.authorize(AuthorizeParameters())
      #expect(Self.comparableParts(of: plainPage) == Self.comparableParts(of: namedPage))
      let plainConsent = try await plainBrowser.signIn(plainPage)
      let namedConsent = try await namedBrowser.signIn(namedPage)
      #expect(namedConsent.isConsentPage && Self.comparableParts(of: plainConsent) == Self.comparableParts(of: namedConsent))
      let code = try #require(try await namedBrowser.decide(namedConsent, "allow").parameters["code"])
      #expect(try await site.redeem(code).status == .ok)
    }
  }

  /// Returns the status, header fields, and body of a page, without the parts that differ between requests.
  private static func comparableParts(of reply: Reply) -> [String] {
    let fields = reply.headers.filter { $0.name != .xRequestID && $0.name != .setCookie }.map { "\($0.name): \($0.value)" }
    let body = [reply.csrf, reply.sealedInteraction].compactMap(\.self).reduce(reply.bodyWithoutChallenge) {
      $0.replacing($1, with: "")
    }
    return ["\(reply.status)"] + fields + [body]
  }

  @Test(
    "an ID token of another issuer is not a valid hint and cannot be exchanged for tokens, even if both issuers have the same keys"
  )
  func otherProvider() async throws {
    // Both sites use the same test keys.
    try await withSite(issuer: "https://login.example") { otherSite in
      let foreignToken = try await otherSite.tokens(.claimedHTTPS).id
      try await withSite { site in
        let browser = TestBrowser(site)
        _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
        let request = AuthorizeParameters(.claimedHTTPS).with("id_token_hint", foreignToken)
        expectErrorRedirect(try await browser.authorize(request), "invalid_request", request)
        for (grant, parameter) in [
          ("urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion"),
          ("urn:ietf:params:oauth:grant-type:token-exchange", "subject_token"),
        ] {
          expectTokenError(
            try await site.post(
              "/token",
              [
                ("grant_type", grant), ("client_id", "claimed"), (parameter, foreignToken),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
              ]), "unsupported_grant_type")
        }
      }
    }
  }

  @Test(
    "with a parameter that names another provider, the user still signs in here, and the sign-in page links to no other site",
    arguments: [
      ("idp_hint", "https://login.example"), ("kc_idp_hint", "example"), ("domain_hint", "login.example"),
      ("connection", "https://login.example"), ("identity_provider", "Example"), ("acr_values", "idp:https://login.example"),
      ("login_hint", "ada@login.example"), ("iss", "https://login.example"),
    ])
  func hints(name: String, value: String) async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters(.claimedHTTPS).with(name, value))
      #expect(page.isSignInPage && page.formAction?.hasPrefix("/interaction/sign-in?") == true)
      let outward = page.body.matches(of: /(?:href|src|action)="(?:[a-z]+:)?\/\//)
      #expect(outward.isEmpty)
    }
  }
}

extension HTTPField.Name {
  // Both names are valid, so the fallbacks are never used.
  fileprivate static let xRequestID = HTTPField.Name("X-Request-ID") ?? .date
  fileprivate static let xRequestedWith = HTTPField.Name("X-Requested-With") ?? .referer
}
