import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import SallyportProtocol
import Testing

extension EndToEndTests {
  @Suite struct PasskeyTests {
    @Test(
      "in Chromium, a user adds a passkey, signs in to an app with it, and removes it; then the passkey is not accepted")
    func life() async throws {
      try await withServer(clients: [.notes]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.notes, at: server, transport: transport)
          try await withTestBrowser("passkeys") { browser in
            let authenticator = try await browser.addAuthenticator()
            try await Self.addPasskey(at: server, in: browser)
            #expect(try await browser.countPasskeys(of: authenticator) == 1)
            try await browser.click("main a[href$='/account']")
            try await browser.wait(for: "the account page") { try await $0.text.contains("Signed-in browsers") }
            try await keepScreenshot(of: browser, "account-with-passkey")
            try await Self.signOut(in: browser)

            let pending = try app.begin()
            try await browser.open(pending.url)
            try await browser.wait(for: "the button for a passkey") { try await $0.isVisible("button[value=passkey]") }
            try await keepScreenshot(of: browser, "sign-in-with-passkey")
            try await browser.click("button[value=passkey]")
            try await browser.decide(.allow)
            let location = try await browser.waitForNavigation(to: pending.redirectURI)
            let tokens = try await app.redeem(app.code(in: location, for: pending), for: pending)
            let claims = try AuthenticationClaims(ofIDToken: #require(tokens.body.idToken))
            #expect(claims.acr == "phr" && claims.amr == ["pop", "user", "mfa"])

            try await browser.open("\(server.issuer)/account")
            try await browser.wait(for: "the passkey") { try await $0.text.contains("Last used on") }
            try await browser.click("section[aria-labelledby=passkeys] summary")
            try await browser.click("button[value=remove-passkey]")
            try await browser.wait(for: "the removal") { try await $0.text.contains("The passkey was removed") }
            try await Self.signOut(in: browser)
            try await browser.open("\(server.issuer)/account")
            try await browser.click("button[value=passkey]")
            try await browser.wait(for: "the rejection") { try await $0.text.contains("This passkey was not accepted.") }
            // The password still works.
            try await browser.signIn(server.account)
            try await browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
          }
        }
      }
    }

    @Test("the sign-in page requests no passkey until the user presses Tab; the passkey then signs the user in without a click")
    func conditionalMediation() async throws {
      try await withServer(clients: []) { server in
        try await withTestBrowser("passkey-without-click") { browser in
          _ = try await browser.addAuthenticator()
          try await Self.addPasskey(at: server, in: browser)
          try await browser.open("\(server.issuer)/account")
          try await Self.signOut(in: browser)
          try await browser.runInNewPages(Self.recordRequests)
          try await browser.open("\(server.issuer)/account")
          try await browser.wait(for: "the button for a passkey") { try await $0.isVisible("button[value=passkey]") }
          // The page's script waits for the same promise before it requests a passkey, so a request that does not
          // wait for Tab would be recorded within the next frame.
          let requests = try await browser.evaluate(
            """
            return PublicKeyCredential.isConditionalMediationAvailable()
              .then(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))))
              .then(() => window.passkeyRequests);
            """, as: [String].self)
          #expect(requests == [])
          #expect(try await browser.isVisible("input[name=password]"))
          try await browser.press(.tab)
          try await browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
          try await browser.click("section[aria-labelledby=activity] summary")
          #expect(try await browser.text.contains("You signed in with a passkey."))
        }
      }
    }

    /// A script that records the `mediation` option of each request for a passkey.
    private static let recordRequests = """
      window.passkeyRequests = [];
      if (navigator.credentials) {
        const get = navigator.credentials.get.bind(navigator.credentials);
        navigator.credentials.get = options => {
          window.passkeyRequests.push(options.mediation ?? 'modal');
          return get(options);
        };
      }
      """

    @Test(
      "in Firefox, a user adds a passkey and signs in to an app with it",
      .enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
    func lifeInFirefox() async throws {
      try await withWebApp { webApp in
        try await withServer(clients: [WebApp.client]) { server in
          try await AsyncHTTPClientTransport.withTransport { transport in
            let app = try await HTTPApp(WebApp.client, at: server, transport: transport)
            let pending = try app.begin(redirectURI: webApp.forwardingRedirectURI)
            let account = Firefox.Step.open("\(server.issuer)/account")
            let signOut = [account, .click("main > form button"), .wait(for: "signed out")]
            let page = try await Firefox.perform(
              [.addAuthenticator, account] + Firefox.Step.signIn(server.account)
                + [.click("button[value=add-passkey]"), .wait(for: "The passkey was added.")] + signOut
                + [.open(pending.url), .click("button[value=passkey]"), .allow, .wait(for: "Arrived")])
            let tokens = try await app.redeem(app.code(in: page.url, for: pending), for: pending)
            let claims = try AuthenticationClaims(ofIDToken: #require(tokens.body.idToken))
            #expect(claims.acr == "phr" && claims.amr == ["pop", "user", "mfa"])
          }
        }
      }
    }

    @Test("if the request for a new passkey was stopped, the button sends the same passkey again and creates no other one")
    func repeatedRequest() async throws {
      try await withServer(clients: []) { server in
        try await withTestBrowser("passkey-sent-again") { browser in
          let authenticator = try await browser.addAuthenticator()
          // The first request never leaves the page.
          try await browser.runInNewPages(
            """
            const submit = HTMLFormElement.prototype.submit;
            HTMLFormElement.prototype.submit = function () {
              HTMLFormElement.prototype.submit = submit;
              document.title = "stopped";
            };
            HTMLFormElement.prototype.submit.original = submit;
            """)
          try await browser.open("\(server.issuer)/account")
          try await browser.signIn(server.account)
          try await browser.wait(for: "the button for a new passkey") { try await $0.isVisible("button[value=add-passkey]") }
          try await browser.click("button[value=add-passkey]")
          try await browser.wait(for: "the stopped request") {
            try await $0.evaluate("return document.title", as: String.self) == "stopped"
          }
          let first = try await browser.countPasskeys(of: authenticator)
          // The page ignores another click for ten seconds, unless the user returns to it.
          try await browser.click("button[value=add-passkey]")
          _ = try await browser.evaluate(
            "return dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))", as: Bool.self)
          #expect(try await browser.isVisible("button[value=add-passkey]"))
          try await browser.click("button[value=add-passkey]")
          try await browser.wait(for: "the new passkey") { try await $0.text.contains("The passkey was added.") }
          try await browser.open("\(server.issuer)/account")
          try await Self.signOut(in: browser)
          try await browser.open("\(server.issuer)/account")
          try await browser.wait(for: "the button for a passkey") { try await $0.isVisible("button[value=passkey]") }
          // The page's script has replaced the function that submits a form once more.
          _ = try await browser.evaluate(
            "HTMLFormElement.prototype.submit = HTMLFormElement.prototype.submit.original; return true", as: Bool.self)
          try await browser.click("button[value=passkey]")
          try await browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
          #expect(try await (first, browser.countPasskeys(of: authenticator)) == (1, 1))
        }
      }
    }

    @Test("no passkey is added if the authenticator does not verify the user")
    func requiresUserVerification() async throws {
      try await withServer(clients: []) { server in
        try await withTestBrowser("passkey-without-verification") { browser in
          _ = try await browser.addAuthenticator(verifiesUser: false)
          try await browser.open("\(server.issuer)/account")
          try await browser.signIn(server.account)
          try await browser.wait(for: "the button") { try await $0.isVisible("button[value=add-passkey]") }
          try await browser.click("button[value=add-passkey]")
          try await browser.wait(for: "the failure") { try await $0.text.contains("No passkey was added.") }
        }
      }
    }

    @Test(
      "no button for a passkey is shown without JavaScript, or if the issuer's host is an IP address", arguments: [true, false])
    func hidden(scripting: Bool) async throws {
      try await withServer(clients: [], issuerHost: scripting ? "127.0.0.1" : "localhost") { server in
        try await withTestBrowser("no-passkey-\(scripting)", options: BrowserOptions(scripting: scripting)) { browser in
          try await browser.open("\(server.issuer)/account")
          #expect(try await !browser.isVisible("button[value=passkey]"))
          try await browser.signIn(server.account)
          try await browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
          #expect(try await !browser.isVisible("button[value=add-passkey]"))
        }
      }
    }

    // MARK: Steps

    private static func addPasskey(at server: ServerHome, in browser: Browser) async throws {
      try await browser.open("\(server.issuer)/account")
      try await browser.signIn(server.account)
      try await browser.wait(for: "the button for a new passkey") { try await $0.isVisible("button[value=add-passkey]") }
      try await browser.click("button[value=add-passkey]")
      try await browser.wait(for: "the new passkey") { try await $0.text.contains("The passkey was added.") }
    }

    private static func signOut(in browser: Browser) async throws {
      try await browser.click("main > form button")
      try await browser.wait(for: "the end of the session") { try await $0.text.contains("signed out") }
    }
  }
}
