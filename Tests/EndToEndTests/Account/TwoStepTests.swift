import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import SallyportProtocol
import TestSupport
import Testing

extension EndToEndTests {
  @Suite struct TwoStepTests {
    @Test(
      "in Chromium, a user sets up an authenticator app, signs in with its code and with a recovery code, and turns two-step verification off"
    )
    func life() async throws {
      try await withServer(clients: [.notes]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.notes, at: server, transport: transport)
          try await withTestBrowser("two-step") { browser in
            let (phone, codes) = try await Self.setUp(at: server, in: browser)
            #expect(codes.count == 10)

            let pending = try app.begin()
            try await browser.open(pending.url)
            try await browser.signIn(server.account)
            try await browser.wait(for: "the page for the code") { try await $0.isVisible("input[name=code]") }
            try await keepScreenshot(of: browser, "enter-a-code")
            try await Self.enter(in: browser, Self.freshCode(of: phone))
            try await browser.decide(.allow)
            let location = try await browser.waitForNavigation(to: pending.redirectURI)
            let tokens = try await app.redeem(app.code(in: location, for: pending), for: pending)
            let claims = try AuthenticationClaims(ofIDToken: #require(tokens.body.idToken))
            #expect(claims.acr == "2" && claims.amr == ["pwd", "otp", "mfa"])

            try await Self.signOut(at: server, in: browser)
            try await browser.open("\(server.issuer)/account")
            try await browser.signIn(server.account)
            try await browser.wait(for: "the page for the code") { try await $0.isVisible("input[name=code]") }
            try await browser.click("main details summary")
            try await browser.type(codes[0].uppercased(), into: "#recovery-code")
            try await browser.pressEnter(in: "#recovery-code")
            try await browser.wait(for: "the account page") { try await $0.text.contains("You have 9 unused recovery codes.") }
            try await keepScreenshot(of: browser, "account-with-two-step")
            try await browser.click("button[value=remove-app]")
            try await browser.wait(for: "the removal") { try await $0.text.contains("Two-step verification is off.") }
            try await Self.signOut(at: server, in: browser)
            try await browser.open("\(server.issuer)/account")
            try await browser.signIn(server.account)
            try await browser.wait(for: "the account page") { try await $0.text.contains("Signed-in browsers") }
          }
        }
      }
    }

    // MARK: Steps

    /// Signs in, sets up an authenticator app, and signs out.
    private static func setUp(
      at server: ServerHome, in browser: Browser
    ) async throws -> (phone: TestAuthenticatorApp, recoveryCodes: [String]) {
      try await browser.open("\(server.issuer)/account")
      try await browser.signIn(server.account)
      try await browser.wait(for: "the account page") { try await $0.text.contains("Two-step verification") }
      try await browser.click("main a[href$='/account/authenticator']")
      try await browser.wait(for: "the QR code") { try await $0.isVisible("svg[role=img]") }
      try await keepScreenshot(of: browser, "set-up-authenticator-app")
      let match = try await browser.text.firstMatch(of: /([A-Z2-7]{4} ){7}[A-Z2-7]{4}/)
      let key = try #require(match).0
      let phone = try #require(TestAuthenticatorApp(key: String(key)))
      try await self.enter(in: browser, phone.code(at: .now()))
      try await browser.wait(for: "the recovery codes") { try await $0.text.contains("Two-step verification is on.") }
      try await keepScreenshot(of: browser, "recovery-codes")
      let codes = try await browser.text.matches(of: /[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}/).map { String($0.0) }
      try await browser.click("main a[href$='/account']")
      try await browser.wait(for: "the account page") { try await $0.text.contains("Turn off two-step verification") }
      try await self.signOut(at: server, in: browser)
      return (phone, codes)
    }

    private static func enter(in browser: Browser, _ code: String) async throws {
      try await browser.type(code, into: "#code")
      try await browser.pressEnter(in: "#code")
    }

    /// Returns a code that was not used when the app was set up: the code of the next time step, which the server
    /// already accepts.
    private static func freshCode(of phone: TestAuthenticatorApp) -> String {
      phone.code(at: Timestamp.now() + .seconds(30))
    }

    private static func signOut(at server: ServerHome, in browser: Browser) async throws {
      try await browser.open("\(server.issuer)/account")
      try await browser.wait(for: "the account page") { try await $0.text.contains("Signed-in browsers") }
      try await browser.click("main > form button")
      try await browser.wait(for: "the end of the session") { try await $0.text.contains("signed out") }
    }
  }
}
