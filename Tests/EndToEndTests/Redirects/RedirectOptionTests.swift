import BrowserDriver
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Tests redirects to private-use schemes and to claimed https URIs (RFC 8252 §7.1, §7.2). RoundTripTests tests
  /// loopback redirects.
  @Suite struct RedirectOptionTests {
    @Test("S-01, S-14, S-28: the consent page redirects to a private-use scheme, and the next request asks for consent again")
    func privateUseScheme() async throws {
      try await self.signInTwice(.scheme, "private-use") { browser, pending in
        try await Self.open(pending.url, in: browser)
        try await browser.decide(.allow)
      }
    }

    @Test("S-01, S-15: with a claimed https redirect URI, the user is not asked twice for the same scopes")
    func claimed() async throws {
      try await self.signInTwice(.claimedHTTPS, "claimed-https") { browser, pending in
        try await Self.open(pending.url, in: browser)
      }
    }

    /// Signs in to the app twice in one browser.
    /// - Parameter second: The user's actions at the app's second request.
    private func signInTwice(
      _ client: TestClient, _ name: String, second: (Browser, HTTPApp.PendingRequest) async throws -> Void
    ) async throws {
      try await withServer(clients: [client]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(client, at: server, transport: transport)
          try await withTestBrowser(name) { browser in
            let first = try app.begin()
            try await browser.open(first.url)
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            try await Self.finish(first, app: app, browser: browser)
            // For a private-use scheme, Chromium asks whether to open the app, and blocks the tab until the user
            // responds.
            try await browser.openTab()
            let next = try app.begin()
            try await second(browser, next)
            try await Self.finish(next, app: app, browser: browser)
          }
        }
      }
    }

    /// Opens a URL. If the server redirects to the app at once, the driver throws an error, because the app's URL is
    /// unreachable. This function ignores that error.
    private static func open(_ url: String, in browser: Browser) async throws {
      do { try await browser.open(url) } catch WebDriverError.failed {}
    }

    /// Waits for the response and redeems its code.
    private static func finish(_ pending: HTTPApp.PendingRequest, app: HTTPApp, browser: Browser) async throws {
      let location = try await eventually("the response to the app") {
        try await browser.takeNavigations().first { $0.hasPrefix(pending.redirectURI) && $0.contains(pending.state) }
      }
      let response = try await app.redeem(app.code(in: location, for: pending), for: pending)
      #expect(response.status == 200 && response.body.accessToken != nil && response.body.idToken != nil, "\(response)")
    }
  }
}
