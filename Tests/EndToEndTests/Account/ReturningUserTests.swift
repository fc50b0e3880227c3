import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Tests several accounts in one browser, and sign-ins on a device that does not belong to the user, in Chromium.
  @Suite struct ReturningUserTests {
    private static func addBob(_ server: ServerHome) async throws {
      try await server.runCommand(["user", "add", "bob"], input: server.account.password + "\n")
    }

    /// Signs in on the account page. Other accounts in this browser remain signed in.
    private static func signInToAnotherAccount(_ name: String, _ browser: Browser, _ server: ServerHome) async throws {
      try await browser.open(server.issuer + "/account/sign-in?for=another-account")
      try await browser.signIn(name, server.account.password)
      try await browser.wait(for: "the account page") { try await $0.text.contains("You are signed in as \(name)") }
    }

    @Test(
      "with and without JavaScript, a user with two accounts chooses one with one click, and removes the other",
      arguments: [true, false])
    func choosesAccount(scripting: Bool) async throws {
      try await withServer(clients: [.notes]) { server in
        try await Self.addBob(server)
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.notes, at: server, transport: transport)
          try await withTestBrowser("accounts-\(scripting)", options: BrowserOptions(scripting: scripting)) { browser in
            for name in ["ada", "bob"] { try await Self.signInToAnotherAccount(name, browser, server) }
            let pending = try app.begin()
            try await browser.open(pending.url)
            try await browser.wait(for: "the accounts") { try await $0.text.contains("Choose an account") }
            try await keepScreenshot(of: browser, "accounts-\(scripting)")
            try await browser.click("button[name=choose][value=ada]")
            try await browser.waitForConsent()
            let consent = try await browser.text
            #expect(consent.contains("ada") && !consent.contains("bob"))
            try await browser.decide(.allow)
            let location = try await browser.waitForNavigation(to: pending.redirectURI)
            #expect(try await app.redeem(app.code(in: location, for: pending), for: pending).status == 200)

            try await browser.open(server.issuer + "/account/accounts")
            try await browser.click("button[name=remove][value=bob]")
            try await browser.wait(for: "one account") { try await $0.findAll("button[name=choose]").count == 1 }
            try await browser.open(server.issuer + "/account")
            #expect(try await browser.text.contains("You are signed in as ada"))
          }
        }
      }
    }

    @Test(
      "with \"This is not my device\", the session cookie has no expiry, and after the sign-out, the sign-in page shows no user name"
    )
    func deviceOfOthers() async throws {
      try await withServer(clients: []) { server in
        try await Self.addBob(server)
        try await withTestBrowser("public-device") { browser in
          try await browser.open(server.issuer + "/account")
          try await browser.click("#public-device")
          try await browser.signIn(server.account)
          try await browser.wait(for: "the account page") { try await $0.text.contains("not your device") }
          let cookies = try await browser.cookies
          #expect(cookies.map(\.name) == ["sallyport"] && cookies.first?.expiry == nil)
          // This is the sign-out button.
          try await browser.click("main > form button")
          try await browser.wait(for: "the end of the session") { try await $0.text.contains("You are signed out") }
          try await browser.open(server.issuer + "/account")
          #expect(try await !browser.source.contains(#"value="ada""#))
          try await browser.signIn("bob", server.account.password)
          try await browser.wait(for: "the account page") { try await $0.text.contains("You are signed in as bob") }
          #expect(try await browser.cookies.allSatisfy { $0.expiry != nil })
        }
      }
    }
  }
}
