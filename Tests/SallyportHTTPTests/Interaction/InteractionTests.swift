import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Interactions under attack")
struct InteractionTests {
  @Test("a modified, truncated, or extended interaction is rejected")
  func tampered() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let (sealed, csrf) = (try #require(page.sealedInteraction), try #require(page.csrf))
      let bytes = try #require(Base64URL.decode(sealed))
      var hostile = (0..<bytes.count).map { index in
        var copy = bytes
        copy[index] ^= 1
        return Base64URL.encode(copy)
      }
      hostile += [String(sealed.dropLast()), sealed + "A", "", "x", sealed + "=", String(sealed.dropFirst(4)), "%00", "..%2F"]
      try await site.expectingSameRowCounts {
        for text in hostile {
          expectErrorPage(try await browser.get("/interaction?i=\(text)"))
          expectErrorPage(try await browser.get("/interaction/switch-account?i=\(text)"))
        }
        for text in [hostile[0], hostile[40], ""] {
          for path in ["sign-in", "consent"] {
            expectErrorPage(
              try await browser.post(
                "/interaction/\(path)?i=\(text)",
                [("csrf", csrf), ("username", "ada"), ("password", TestServer.password), ("decision", "allow")]))
          }
        }
        for query in ["", "?", "?i=\(sealed)&i=\(sealed)", "?i"] {
          expectErrorPage(try await browser.get("/interaction\(query)"))
        }
      }
    }
  }

  @Test("an interaction expires after 30 minutes, on its page and in the sign-in and consent forms")
  func expires() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let consent = try await browser.signIn(page)
      site.fixture.clock.advance(by: .seconds(30 * 60))
      try await site.expectingSameRowCounts {
        expectErrorPage(try await browser.open("/interaction?i=\(try #require(page.sealedInteraction))"))
        expectErrorPage(try await browser.decide(consent, "allow"))
        expectErrorPage(try await browser.signIn(page))
      }
    }
  }

  @Test(
    "a form is rejected, even with a valid CSRF token, if its header fields do not show that this server's page posted it",
    arguments: [
      [:], [.origin: "https://evil.example"], [.origin: "null"], [.origin: "https://id.example.evil.example"],
      [.origin: "http://id.example"], [.origin: "https://id.example:8443"], [.origin: "https://id.example/"], [.origin: ""],
      [.secFetchSite: "cross-site"], [.secFetchSite: "same-site"], [.secFetchSite: "none"],
      [.origin: "null", .secFetchSite: "same-origin"], [.origin: "https://evil.example", .secFetchSite: "same-origin"],
    ] as [HTTPFields])
  func crossOrigin(headers: HTTPFields) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
      let fields = [("username", "ada"), ("password", TestServer.password), ("decision", "allow")]
      try await site.expectingSameRowCounts {
        let reply = try await browser.post(action, [("csrf", csrf)] + fields, headers: headers)
        #expect(reply.isWrongAddressPage && browser.cookies.isEmpty)
      }
      let consent = try await browser.signIn(page)
      try await site.expectingSameRowCounts {
        let reply = try await browser.post(
          try #require(consent.formAction), [("csrf", try #require(consent.csrf))] + fields, headers: headers)
        #expect(reply.isWrongAddressPage && reply.location == nil)
      }
    }
  }

  @Test("a browser that sends Sec-Fetch-Site instead of Origin is accepted")
  func fetchMetadata() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let reply = try await browser.post(
        try #require(page.formAction),
        [("csrf", try #require(page.csrf)), ("username", "ada"), ("password", TestServer.password)],
        headers: [.secFetchSite: "same-origin"])
      #expect(reply.status == .seeOther)
    }
  }

  @Test("the CSRF token of another interaction, form, session, or user is rejected")
  func foreignCSRFTokens() async throws {
    try await withSite { site in
      let (ada, bob) = (TestBrowser(site), TestBrowser(site))
      let adaSignIn = try await ada.authorize(AuthorizeParameters())
      let adaConsent = try await ada.signIn(adaSignIn)
      let otherConsent = try await ada.authorize(AuthorizeParameters(.privateUse))
      // Bob opens Ada's interaction.
      let bobConsent = try await bob.signIn(
        try await bob.open("/interaction?i=\(try #require(adaConsent.sealedInteraction))"), as: "bob")
      let foreign = [otherConsent.csrf, adaSignIn.csrf, bobConsent.csrf, "", "x", adaConsent.csrf.map { $0 + "A" }]
      try await site.expectingSameRowCounts {
        for csrf in foreign {
          let reply = try await ada.post(
            try #require(adaConsent.formAction), [("csrf", csrf ?? ""), ("decision", "allow")])
          #expect(reply.parameters["code"] == nil)
          #expect(try await ada.open(try #require(reply.location)).isConsentPage)
        }
        let fields = [("username", "ada"), ("password", TestServer.password)]
        for csrf in [adaConsent.csrf, otherConsent.csrf, ""] {
          let reply = try await TestBrowser(site).post(try #require(adaSignIn.formAction), [("csrf", csrf ?? "")] + fields)
          #expect(reply.isSignInPage && reply.status == .badRequest)
        }
      }
    }
  }

  @Test("without a session, the consent form leads to the sign-in page and issues no code")
  func consentWithoutSession() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      let session = try #require(browser.cookies["__Host-sallyport"])
      // No cookie, an invalid token, and a valid token in a cookie with the wrong name.
      let cookieJars: [[String: String]] = [[:], ["__Host-sallyport": "slp_bs_x"], ["sallyport": session]]
      for cookies in cookieJars {
        let thief = TestBrowser(site)
        thief.cookies = cookies
        try await site.expectingSameRowCounts {
          let reply = try await thief.decide(consent, "allow")
          #expect(reply.isSignInPage)
        }
      }
    }
  }

  @Test("several clicks on Allow, simultaneous or one after another, result in one code")
  func doubleSubmit() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      let (action, csrf, cookies) = (try #require(consent.formAction), try #require(consent.csrf), browser.cookies)
      let codes = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 {
          group.addTask {
            let tab = TestBrowser(site)
            tab.cookies = cookies
            return try await tab.post(action, [("csrf", csrf), ("decision", "allow")]).parameters["code"]
          }
        }
        return try await group.reduce(into: [String]()) { if let code = $1 { $0.append(code) } }
      }
      #expect(codes.count == 1)
      expectErrorPage(try await browser.decide(consent, "allow"))
      expectErrorPage(try await browser.decide(consent, "deny"))
      #expect(try site.fixture.rows()["authorization_code"] == 1)
      #expect(try await site.redeem(codes[0]).status == .ok)
    }
  }

  @Test("a client that is removed during the flow gets neither a code nor an error response")
  func clientRemoved() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let consent = try await browser.signIn(page)
      try await site.fixture.store.write { (tx) throws(StoreError) in
        _ = try tx.remove(TestClient.loopback.id, from: .command, at: .now())
      }
      try await site.expectingSameRowCounts {
        // Until the server reloads its cache of clients, at most 250 ms later, only the store knows that the client was
        // removed, and rejects the grant.
        let reply = try await browser.decide(consent, "allow")
        #expect(reply.location == nil && reply.isPage)
        site.fixture.clock.advance(by: .milliseconds(250))
        expectErrorPage(try await browser.open("/interaction?i=\(try #require(page.sealedInteraction))"))
        expectErrorPage(try await browser.decide(consent, "allow"))
        expectErrorPage(try await browser.decide(consent, "deny"))
      }
    }
  }

  @Test(
    "an account that is disabled, or gets a new password, during the flow loses its session, code, and tokens",
    arguments: [true, false])
  func accountChanges(setsPassword: Bool) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      let code = try await site.code()
      let tokens = try await site.tokens()
      if setsPassword {
        try await site.fixture.server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      } else {
        try await site.fixture.server.accounts.disable("ada")
      }
      // Failed sign-ins are counted in the table of attempts.
      try await site.expectingSameRowCounts(except: "attempt") {
        #expect(try await browser.decide(consent, "allow").isSignInPage)
        expectTokenError(try await site.redeem(code), "invalid_grant")
        expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
        #expect(try await site.userinfo(tokens.access).status == .unauthorized)
        let newBrowser = TestBrowser(site)
        #expect(try await newBrowser.signIn(try await newBrowser.authorize(AuthorizeParameters())).isSignInPage)
      }
    }
  }

  @Test("switching the account requires a sign-in and keeps the request")
  func switchAccount() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      // If the first sign-in happened at the time of the switch, it would count as a sign-in after the switch.
      site.fixture.clock.advance(by: .seconds(1))
      let page = try await browser.open("/interaction/switch-account?i=\(try #require(consent.sealedInteraction))")
      #expect(page.isSignInPage)
      let reply = try await browser.decide(try await browser.signIn(page, as: "bob"), "allow")
      let tokens = try Tokens(try await site.redeem(try #require(reply.parameters["code"])))
      #expect(try await site.userinfo(tokens.access).json["preferred_username"] == "bob")
    }
  }
}

extension HTTPField.Name {
  /// The name is valid, so the fallback is never used.
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
