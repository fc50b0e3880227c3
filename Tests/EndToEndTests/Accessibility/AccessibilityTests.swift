import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import SallyportProtocol
import TestSupport
import Testing

extension EndToEndTests {
  /// Checks with axe-core, in several appearances, that the server's pages and the app's last page, which remains in
  /// the browser after a sign-in, conform to WCAG 2.2 AA. Also checks that all these pages can be used with the
  /// keyboard, and saves a gallery of screenshots in `.build/…/end-to-end`.
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct AccessibilityTests {
    @Test("the pages of a sign-in to an app are accessible")
    func signIn() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await withTestBrowser("accessibility-sign-in") { browser in
            _ = try await browser.addAuthenticator()
            try await browser.open(login.url)
            try await browser.wait(for: "the sign-in page") { try await $0.isVisible("input[name=username]") }
            try await browser.checkAccessibility(of: "sign-in")
            try await browser.signIn(server.account.name, "not the password")
            try await browser.wait(for: "the error") { try await !$0.findAll("[role=alert]").isEmpty }
            try await browser.checkAccessibility(of: "sign-in-failure")
            try await browser.signIn(server.account)
            try await browser.waitForConsent()
            try await browser.checkAccessibility(of: "consent")
            try await browser.decide(.allow)
            try await browser.wait(for: "the app's last page") { try await $0.currentURL.hasPrefix("http://127.0.0.1:") }
            try await browser.checkAccessibility(of: "last-page")
            // At the next sign-in, the consent page is shorter.
            let secondLogin = try await user.beginLogin(server, .notes)
            defer { secondLogin.process.end() }
            try await browser.open(secondLogin.url)
            try await browser.waitForConsent()
            try await browser.checkAccessibility(of: "consent-again")
            try await browser.decide(.deny)
            try await browser.wait(for: "the app's last page") { try await $0.currentURL.hasPrefix("http://127.0.0.1:") }
            try await browser.checkAccessibility(of: "last-page-denied")
          }
        }
      }
    }

    @Test("without JavaScript, the page with the button that posts the response to the app is accessible")
    func formPost() async throws {
      try await withServer(clients: [.notes]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let pending = try await HTTPApp(.notes, at: server, transport: transport).begin()
          try await withTestBrowser("accessibility-form-post", options: BrowserOptions(scripting: false)) { browser in
            try await browser.open(pending.url + "&response_mode=form_post")
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            try await browser.wait(for: "the page with the response") { try await $0.text.contains("Back to") }
            // axe-core needs JavaScript.
            try await browser.setScripting(true)
            try await browser.checkAccessibility(of: "form-post")
          }
        }
      }
    }

    @Test("the account page and the pages that it links to are accessible")
    func account() async throws {
      try await withTemporaryFolder { folder in
        let settings = "\(folder)/settings.yaml"
        try "accounts: { deletion: allowed }\n".write(toFile: settings, atomically: true, encoding: .utf8)
        try await withServer(clients: [.notes], arguments: ["--config", settings]) { server in
          try await AsyncHTTPClientTransport.withTransport { transport in
            let app = try await HTTPApp(.notes, at: server, transport: transport)
            try await withTestBrowser("accessibility-account") { browser in
              try await Self.checkNewAccount(in: browser, at: server)
              let pending = try app.begin()
              try await browser.open(pending.url)
              try await browser.decide(.allow)
              let location = try await browser.waitForNavigation(to: pending.redirectURI)
              _ = try await app.redeem(app.code(in: location, for: pending), for: pending)
              // Signs in with another browser, so that the account page also lists a session of another browser.
              _ = try await HTTPBrowser(issuer: server.issuer, transport: transport).openAccount(as: server.account)
              try await Self.confirmWithPasskey(in: browser, at: server)
              for (path, name) in [("", "account"), ("/password", "change-password"), ("/delete", "account-deletion")] {
                try await browser.open("\(server.issuer)/account\(path)")
                try await browser.checkAccessibility(of: name)
              }
              try await Self.checkSignOut(in: browser, at: server)
            }
          }
        }
      }
    }

    /// Checks the account page of a user without passkeys, and adds a passkey.
    private static func checkNewAccount(in browser: Browser, at server: ServerHome) async throws {
      _ = try await browser.addAuthenticator()
      try await browser.open("\(server.issuer)/account")
      try await browser.signIn(server.account)
      try await browser.wait(for: "the button for a passkey") { try await $0.isVisible("button[value=add-passkey]") }
      try await browser.checkAccessibility(of: "account-new")
      try await browser.open("\(server.issuer)/account/accounts")
      try await browser.checkAccessibility(of: "account-chooser")
      try await browser.open("\(server.issuer)/account")
      try await browser.click("button[value=add-passkey]")
      try await browser.wait(for: "the new passkey") { try await $0.text.contains("The passkey was added.") }
    }

    /// Signs in with the passkey. Users who have a passkey must use it before they change the account.
    private static func confirmWithPasskey(in browser: Browser, at server: ServerHome) async throws {
      try await browser.open("\(server.issuer)/account/password")
      try await browser.wait(for: "the button for a passkey") { try await $0.isVisible("button[value=passkey]") }
      try await browser.click("button[value=passkey]")
      try await browser.wait(for: "the form") { try await !$0.findAll("input[name=new-password]").isEmpty }
    }

    private static func checkSignOut(in browser: Browser, at server: ServerHome) async throws {
      try await browser.open("\(server.issuer)/")
      try await browser.checkAccessibility(of: "home")
      try await browser.open("\(server.issuer)/end-session")
      try await browser.checkAccessibility(of: "sign-out")
      try await browser.click("main button")
      try await browser.wait(for: "the end of the session") { try await $0.text.contains("signed out") }
      try await browser.checkAccessibility(of: "signed-out")
    }

    @Test("the pages of a device, and error pages, are accessible")
    func device() async throws {
      try await withServer(clients: []) { server in
        try await withTestBrowser("accessibility-device") { browser in
          try await browser.open("\(server.issuer)/authorize?client_id=unknown")
          try await browser.checkAccessibility(of: "error")
          try await browser.open("\(server.issuer)/device")
          try await browser.checkAccessibility(of: "device")
          try await browser.type("XXXX-XXXX", into: "input[name=user_code]")
          try await browser.pressEnter(in: "input[name=user_code]")
          try await browser.signIn(server.account)
          try await browser.wait(for: "the error") { try await !$0.findAll("#failure").isEmpty }
          try await browser.checkAccessibility(of: "device-failure")
        }
      }
    }

    @Test("the pages of two-step verification are accessible")
    func twoStep() async throws {
      try await withServer(clients: []) { server in
        try await withTestBrowser("accessibility-two-step") { browser in
          try await browser.open("\(server.issuer)/account/authenticator")
          try await browser.signIn(server.account)
          try await browser.wait(for: "the QR code") { try await $0.isVisible("svg[role=img]") }
          try await browser.checkAccessibility(of: "authenticator-app")
          let match = try await browser.text.firstMatch(of: /([A-Z2-7]{4} ){7}[A-Z2-7]{4}/)
          let key = try #require(match).0
          let phone = try #require(TestAuthenticatorApp(key: String(key)))
          try await browser.type(phone.code(at: .now()), into: "#code")
          try await browser.pressEnter(in: "#code")
          try await browser.wait(for: "the recovery codes") { try await $0.text.contains("Two-step verification is on.") }
          try await browser.checkAccessibility(of: "recovery-codes")
          try await browser.open("\(server.issuer)/account")
          try await browser.checkAccessibility(of: "account-two-step")
          try await browser.click("main > form button")
          try await browser.wait(for: "the end of the session") { try await $0.text.contains("signed out") }
          try await browser.open("\(server.issuer)/account")
          try await browser.signIn(server.account)
          try await browser.wait(for: "the page for the code") { try await $0.isVisible("input[name=code]") }
          try await browser.checkAccessibility(of: "second-factor")
          try await browser.type("000000", into: "#code")
          try await browser.pressEnter(in: "#code")
          try await browser.wait(for: "the error") { try await !$0.findAll("#failure").isEmpty }
          try await browser.checkAccessibility(of: "second-factor-failure")
        }
      }
    }

    @Test("the pages of one-time links and forgotten passwords, and the page for embedded web views, are accessible")
    func links() async throws {
      try await withTemporaryFolder { folder in
        let settings = "\(folder)/settings.yaml"
        let text = "mail: { from: accounts@example.com, command: /bin/true }\naccounts: { sign-up: open }\n"
        try text.write(toFile: settings, atomically: true, encoding: .utf8)
        try await withServer(clients: [.notes], arguments: ["--config", settings]) { server in
          let link = try await server.runCommand(["user", "invite", "carol"]).line
          let invitation = try await server.runCommand(
            ["user", "invite", "--email", "dora@example.com", "--config", settings]
          ).line
          try await withTestBrowser("accessibility-sign-up") { browser in try await self.signUp(browser, server, invitation) }
          try await withTestBrowser("accessibility-links") { browser in
            try await browser.open(link)
            try await browser.checkAccessibility(of: "link")
            try await browser.click("button[value=continue]")
            try await browser.wait(for: "the form") { try await !$0.findAll("input[name=new-password]").isEmpty }
            try await browser.checkAccessibility(of: "link-password")
            try await browser.open(link)
            try await browser.checkAccessibility(of: "link-used")
            try await browser.open("\(server.issuer)/account/forgot-password")
            try await browser.checkAccessibility(of: "forgot-password")
            try await browser.type("ada", into: "input[name=username]")
            try await browser.pressEnter(in: "input[name=username]")
            try await browser.wait(for: "the response") { try await $0.text.contains("Check your email") }
            try await browser.checkAccessibility(of: "forgot-password-sent")
            try await browser.open("\(server.issuer)/account")
            try await browser.signIn(server.account)
            try await browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
            try await browser.checkAccessibility(of: "account-email")
          }
          try await AsyncHTTPClientTransport.withTransport { transport in
            let pending = try await HTTPApp(.notes, at: server, transport: transport).begin()
            try await withTestBrowser("accessibility-web-view") { browser in
              try await browser.setUserAgent("Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 Chrome/140.0.0.0")
              try await browser.open(pending.url)
              try await browser.wait(for: "the page for web views") { try await $0.isVisible("#address") }
              try await browser.checkAccessibility(of: "web-view")
            }
          }
        }
      }
    }

    /// Checks the pages on which users create accounts.
    private func signUp(_ browser: Browser, _ server: ServerHome, _ invitation: String) async throws {
      try await browser.open("\(server.issuer)/account/sign-up")
      try await browser.checkAccessibility(of: "sign-up")
      try await browser.type("erin@example.com", into: "input[name=email]")
      try await browser.pressEnter(in: "input[name=email]")
      try await browser.wait(for: "the response") { try await $0.text.contains("Check your email") }
      try await browser.checkAccessibility(of: "sign-up-sent")
      try await browser.open(invitation)
      try await browser.checkAccessibility(of: "sign-up-link")
      try await browser.click("button[value=continue]")
      try await browser.wait(for: "the form") { try await !$0.findAll("input[name=new-password]").isEmpty }
      try await browser.checkAccessibility(of: "new-account")
      try await browser.type("dora", into: "input[name=username]")
      for field in ["new-password", "new-password-repeat"] { try await browser.type("short", into: "input[name=\(field)]") }
      try await browser.pressEnter(in: "input[name=new-password-repeat]")
      try await browser.wait(for: "the error") { try await !$0.findAll("#failure").isEmpty }
      try await browser.checkAccessibility(of: "new-account-failure")
    }
  }
}
