import BrowserDriver
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Tests how web apps sign in, in Chromium and in Firefox.
  @Suite struct WebAppTests {
    enum BrowserKind: String, CaseIterable, CustomTestStringConvertible {
      case chromium = "Chromium"
      case firefox = "Firefox"

      var testDescription: String { self.rawValue }
      /// The browsers that the tests can control. A Python program in `Tests/Peers` controls Firefox, so Firefox is
      /// tested only if the peers are installed.
      static var available: [BrowserKind] { Peers.areAvailable ? self.allCases : [.chromium] }
    }

    @Test(
      "S-28: after the user allows the request, the app's redirect URI can redirect the browser to another origin",
      arguments: BrowserKind.available)
    func secondHop(kind: BrowserKind) async throws {
      try await self.withApp { server, app, client in
        let pending = try client.begin(redirectURI: app.forwardingRedirectURI)
        let url: String
        switch kind {
        case .firefox:
          let steps = [.open(pending.url)] + Firefox.Step.signIn(server.account) + [.allow, .wait(for: "Arrived")]
          url = try await Firefox.perform(steps).url
        case .chromium:
          url = try await withTestBrowser("second-hop") { browser in
            try await browser.open(pending.url)
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            try await browser.wait(for: "the app's page on the other origin") { try await $0.text.contains("Arrived") }
            return try await browser.currentURL
          }
        }
        #expect(url.hasPrefix(app.arrival + "?"))
        let response = try await client.redeem(try client.code(in: url, for: pending), for: pending)
        #expect(response.status == 200 && response.body.accessToken != nil, "\(response)")
      }
    }

    @Test(
      "S-28: the page at the app's redirect URI in a pop-up can send a message to the window that opened the pop-up",
      arguments: BrowserKind.available)
    func popUp(kind: BrowserKind) async throws {
      try await self.withApp { server, app, client in
        let pending = try client.begin(redirectURI: app.popUpURI)
        let page = app.page(opening: pending.url)
        let text: String
        switch kind {
        case .firefox:
          let steps =
            [.open(page), .click("button"), .switchToNewWindow] + Firefox.Step.signIn(server.account)
            + [.allow, .switchToFirstWindow, .wait(for: "Message from")]
          text = try await Firefox.perform(steps).text
        case .chromium:
          text = try await withTestBrowser("pop-up") { browser in
            try await browser.open(page)
            let opener = try await browser.currentWindow
            try await browser.click("button")
            try await browser.wait(for: "the pop-up") { browser in
              guard let popUp = try await browser.windows.first(where: { $0 != opener }) else { return false }
              try await browser.switchToWindow(popUp)
              return true
            }
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            try await browser.switchToWindow(opener)
            try await browser.wait(for: "the message from the pop-up") { try await $0.text.contains("Message from") }
            return try await browser.text
          }
        }
        let code = try client.code(in: text, for: pending)
        let response = try await client.redeem(code, for: pending)
        #expect(response.status == 200 && response.body.accessToken != nil, "\(response)")
      }
    }

    private func withApp(
      _ body: @escaping @Sendable (ServerHome, WebApp, HTTPApp) async throws -> Void
    ) async throws {
      try await withWebApp { app in
        try await withServer(clients: [WebApp.client]) { server in
          try await AsyncHTTPClientTransport.withTransport { transport in
            try await body(server, app, try await HTTPApp(WebApp.client, at: server, transport: transport))
          }
        }
      }
    }
  }
}
