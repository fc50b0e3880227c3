import BrowserDriver
import Hummingbird
import SallyportAsyncHTTPClient
import SocketTestSupport
import Testing

extension EndToEndTests {
  /// Tests users who click a button twice while the response is on its way. Chromium then drops the first response.
  @Suite struct DoubleClickTests {
    /// Clicks a button, and clicks it again while the browser waits for the response.
    private static func clickTwice(_ selector: String, _ browser: Browser) async throws {
      try await browser.delayResponses(bySeconds: 1)
      try await browser.run(
        """
        const button = document.querySelector("\(selector)");
        button.click();
        return new Promise((resolve) => setTimeout(() => { button.click(); resolve(); }, 100));
        """)
    }

    @Test("after a double click on a button of the consent page, the app gets the response", arguments: ["allow", "deny"])
    func consent(decision: String) async throws {
      try await SocketTestSupport.withServer { router in
        router.get("/oauth2redirect/localhost") { _, _ in "received" }
      } _: { port in
        try await withServer(clients: [.notes]) { server in
          try await AsyncHTTPClientTransport.withTransport { transport in
            let app = try await HTTPApp(.notes, at: server, transport: transport)
            let pending = try app.begin(redirectURI: "http://127.0.0.1:\(port)/oauth2redirect/localhost")
            try await withTestBrowser("double-click-\(decision)") { browser in
              try await browser.open(pending.url)
              try await browser.signIn(server.account)
              try await browser.waitForConsent()
              try await Self.clickTwice("button[name=decision][value=\(decision)]", browser)
              try await browser.wait(for: "the app's page") { try await $0.text.contains("received") }
              let location = try await browser.currentURL
              if decision == "allow" {
                #expect(try await app.redeem(app.code(in: location, for: pending), for: pending).status == 200)
              } else {
                #expect(location.contains("error=access_denied"))
              }
            }
          }
        }
      }
    }
  }
}
