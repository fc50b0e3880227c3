import BrowserDriver
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// The redirect options of RFC 8252 §7.1 and §7.2 in a real browser; the loopback one is in the round trip.
  @Suite struct RedirectOptionTests {
    @Test("S-01, S-14, S-28: the browser is sent to a private-use scheme from the consent page, and the next request asks again")
    func privateUseScheme() async throws {
      try await self.signInTwice(.scheme, "private-use") { browser, pending in
        try await Self.open(pending.url, in: browser)
        try await browser.decide(.allow)
      }
    }

    @Test("S-01, S-15: an app with a claimed https redirect is not asked twice for the same scopes")
    func claimed() async throws {
      try await self.signInTwice(.claimed, "claimed-https") { browser, pending in
        try await Self.open(pending.url, in: browser)
      }
    }

    private func signInTwice(
      _ client: TestClient, _ name: String, second: (Browser, HTTPApp.Pending) async throws -> Void
    ) async throws {
      try await withServer(clients: [client]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(client, at: server, transport: transport)
          try await withPerson(name) { browser in
            let first = try app.begin()
            try await browser.open(first.url)
            try await browser.signIn(server.person)
            try await browser.decide(.allow)
            try await Self.finish(first, app: app, browser: browser)
            // Chromium's question whether to open the app keeps the first tab busy.
            try await browser.openTab()
            let next = try app.begin()
            try await second(browser, next)
            try await Self.finish(next, app: app, browser: browser)
          }
        }
      }
    }

    /// Nobody answers at the app's address, which the driver calls an error.
    private static func open(_ url: String, in browser: Browser) async throws {
      do { try await browser.open(url) } catch WebDriverError.refused {}
    }

    /// Waits for the answer and redeems its code.
    private static func finish(_ pending: HTTPApp.Pending, app: HTTPApp, browser: Browser) async throws {
      let location = try await eventually("the answer to the app") {
        try await browser.takeNavigations().first { $0.hasPrefix(pending.redirectURI) && $0.contains(pending.state) }
      }
      let answer = try await app.redeem(app.code(in: location, for: pending), for: pending)
      #expect(answer.status == 200 && answer.body.accessToken != nil && answer.body.idToken != nil, "\(answer)")
    }
  }
}
