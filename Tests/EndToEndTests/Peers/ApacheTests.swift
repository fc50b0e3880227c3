import BrowserDriver
import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Testing

extension EndToEndTests {
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct ApacheTests {
    @Test(
      "S-21: Apache's mod_auth_openidc signs in with a secret or a key and PKCE, refreshes, and signs out",
      arguments: [Apache.Authentication.secret, .key])
    func webApp(_ authentication: Apache.Authentication) async throws {
      try await Self.withApache(authentication) { apache, server, browser in
        try await Self.signIn(browser, apache, server)
        var tokens: [String] = []
        for _ in 0..<3 {
          #expect(try await browser.text(of: "#user").contains(server.account.name))
          tokens.append(try await browser.text(of: "#token"))
          try await browser.open(apache.page)
        }
        #expect(Set(tokens).count == 3, "each page view refreshes the access token")
        let token = try await browser.text(of: "#token")
        #expect(try await server.userinfoStatus(token) == 200)

        try await browser.open(apache.logout)
        try await browser.wait(for: "the server's sign-out page") { try await $0.text.contains("asked to sign you out") }
        try await browser.click("button[type=submit]")
        try await browser.wait(for: "the page of the web app") { try await !$0.findAll("#bye").isEmpty }
        #expect(try await browser.currentURL.hasPrefix(apache.signedOut))
        #expect(try await server.userinfoStatus(token) == 401, "mod_auth_openidc revokes the token")
        try await browser.open(apache.page)
        try await browser.wait(for: "the sign-in page") { try await !$0.findAll("input[name=password]").isEmpty }
      }
    }

    @Test("a user who signs out at our server is signed out of Apache, because mod_auth_openidc accepts the logout token")
    func backChannel() async throws {
      try await Self.withApache(.secret) { apache, server, browser in
        try await Self.signIn(browser, apache, server)
        try await browser.open("\(server.issuer)/sign-out")
        try await browser.click("button[type=submit]")
        try await browser.wait(for: "the end of the session") { try await $0.text.contains("You are signed out") }
        // The session at Apache continues until Apache receives the logout token.
        try await browser.wait(for: "the sign-in page") { browser in
          try await browser.open(apache.page)
          return try await !browser.findAll("input[name=password]").isEmpty
        }
      }
    }

    /// Opens Apache's page for signed-in users, signs in and consents at our server, and waits until the browser is
    /// back at the page.
    private static func signIn(_ browser: Browser, _ apache: Apache, _ server: ServerHome) async throws {
      try await browser.open(apache.page)
      try await browser.signIn(server.account)
      try await browser.decide(.allow)
      try await browser.wait(for: "the page with the user name") { try await !$0.findAll("#user").isEmpty }
    }

    private static func withApache(
      _ authentication: Apache.Authentication, _ body: (Apache, ServerHome, Browser) async throws -> Void
    ) async throws {
      try await withServer(clients: []) { server in
        try await withTemporaryFolder { folder in
          let apache = try await Apache.prepare(folder: folder, authentication)
          try await server.runCommand(["client", "add"] + apache.registration, input: Apache.secret + "\n")
          let process = try await apache.start(issuer: server.issuer)
          defer { process.end() }
          var options = BrowserOptions()
          options.trustedKeys = [apache.keyDigest]
          do {
            try await withTestBrowser("apache", options: options) { try await body(apache, server, $0) }
          } catch {
            throw UnexpectedResult("\(error)\n-- Apache's log:\n\(process.errorOutput.suffix(6_000))")
          }
        }
      }
    }
  }
}
