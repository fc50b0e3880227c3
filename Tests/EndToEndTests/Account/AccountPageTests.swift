import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Tests the account page in Chromium.
  @Suite struct AccountPageTests {
    @Test(
      "S-37: at /account, a user removes an app's access and signs out another browser; the app can then no longer refresh",
      arguments: [true, false])
    func removesAccess(scripting: Bool) async throws {
      try await withServer(clients: [.notes]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.notes, at: server, transport: transport)
          let refreshToken = try await Self.signIn(to: app, server)
          let other = HTTPBrowser(issuer: server.issuer, transport: transport)
          #expect(try await other.openAccount(as: server.account).text.contains("Your account"))
          try await withTestBrowser("account-\(scripting)", options: BrowserOptions(scripting: scripting)) { browser in
            try await browser.open(server.issuer + "/account")
            try await browser.signIn(server.account)
            try await browser.wait(for: "the account page") { try await !$0.findAll("button[value=revoke]").isEmpty }
            #expect(try await browser.text(of: "article h3") == "Notes")
            #expect(try await browser.text.contains("Chrome on Linux"))
            try await keepScreenshot(of: browser, "account-page-\(scripting)")

            try await browser.click("button[value=revoke]")
            try await browser.wait(for: "the status") { try await !$0.findAll("[role=status]").isEmpty }
            let status = try await browser.text(of: "[role=status]")
            #expect(status.contains("no longer has access"))
            #expect(try await browser.findAll("button[value=revoke]").isEmpty)
            let refresh = try await app.refresh(refreshToken)
            #expect(refresh.status == 400 && refresh.body.error == "invalid_grant", "\(refresh)")

            #expect(try await other.open(server.issuer + "/account").text.contains("You are signed in as"))
            try await browser.click("button[value=sign-out-others]")
            try await browser.wait(for: "the status") { browser in
              try await browser.text.contains("You were signed out in all other browsers.")
            }
            #expect(try await other.open(server.issuer + "/account").text.contains(#"name="password""#))
            #expect(try await browser.findAll("button[value=sign-out]").isEmpty)
          }
        }
      }
    }

    @Test("a user changes the password at the well-known URL, and then signs in with the new password")
    func changesPassword() async throws {
      try await withServer(clients: []) { server in
        try await withTestBrowser("account-password") { browser in
          try await browser.open(server.issuer + "/.well-known/change-password")
          try await browser.signIn(server.account)
          try await browser.wait(for: "the form") { try await !$0.findAll("input[name=new-password]").isEmpty }
          let password = "another horse without a battery"
          for field in ["new-password", "new-password-repeat"] { try await browser.type(password, into: "input[name=\(field)]") }
          try await browser.pressEnter(in: "input[name=new-password-repeat]")
          try await browser.wait(for: "the status") { try await !$0.findAll("[role=status]").isEmpty }
          #expect(try await browser.text(of: "[role=status]").contains("Your password was changed."))
          try await browser.click("main > form button")
          try await browser.wait(for: "the end of the session") { try await $0.text.contains("You are signed out") }
          try await browser.open(server.issuer + "/account")
          try await browser.signIn(server.account.name, password)
          try await browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
        }
      }
    }

    private struct Session: Decodable {
      let id: String
    }

    private struct Grant: Decodable {
      let id: String
      let username: String
    }

    @Test("an operator lists and ends sessions and grants, and edits, disables, enables, signs out, and removes a user")
    func commands() async throws {
      try await withServer(clients: [.notes]) { server in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.notes, at: server, transport: transport)
          let refreshToken = try await Self.signIn(to: app, server)
          let browser = HTTPBrowser(issuer: server.issuer, transport: transport)
          func isSignedIn() async throws -> Bool {
            try await browser.open(server.issuer + "/account").text.contains("You are signed in as")
          }
          func list<Row: Decodable>(_ arguments: String...) async throws -> [Row] {
            try JSONDecoder().decode([Row].self, from: Data(try await server.runCommand(arguments + ["--json"]).output.utf8))
          }
          _ = try await browser.openAccount(as: server.account)
          // One session is in the browser that signed in to the app, and one in `browser`.
          let sessions: [Session] = try await list("session", "list", "--user", "ada")
          #expect(sessions.count == 2)
          for session in sessions { try await server.runCommand(["session", "end", session.id]) }
          let remainingSessions: [Session] = try await list("session", "list", "--user", "ada")
          #expect(remainingSessions.isEmpty)
          #expect(try await !isSignedIn())
          await #expect(throws: UnexpectedResult.self) { try await server.runCommand(["session", "end", sessions[0].id]) }

          let grants: [Grant] = try await list("grant", "list", "--client", "notes")
          #expect(grants.map(\.username) == ["ada"])
          let grantsOfUser: [Grant] = try await list("grant", "list", "--user", "ada", "--client", "notes")
          #expect(grantsOfUser.map(\.id) == grants.map(\.id))
          try await server.runCommand(["grant", "revoke", try #require(grants.first?.id)])
          #expect(try await app.refresh(refreshToken).body.error == "invalid_grant")
          let remainingGrants: [Grant] = try await list("grant", "list")
          #expect(remainingGrants.isEmpty)

          try await server.runCommand(["user", "edit", "ada", "--name", "Ada Lovelace", "--email", "ada@example.com"])
          let page = try await browser.openAccount(as: server.account).text
          #expect(page.contains("Ada Lovelace") && page.contains("ada@example.com"))
          try await server.runCommand(["user", "sign-out", "ada"])
          #expect(try await !isSignedIn())
          try await server.runCommand(["user", "disable", "ada"])
          #expect(try await browser.openAccount(as: server.account).status == 403)
          try await server.runCommand(["user", "enable", "ada"])
          _ = try await browser.openAccount(as: server.account)
          #expect(try await isSignedIn())
          try await server.runCommand(["user", "remove", "ada"])
          #expect(try await !isSignedIn())
          await #expect(throws: UnexpectedResult.self) { try await server.runCommand(["user", "enable", "ada"]) }
        }
      }
    }

    /// Signs in to an app in a new browser.
    /// - Returns: The app's refresh token.
    private static func signIn(to app: HTTPApp, _ server: ServerHome) async throws -> String {
      let pending = try app.begin()
      let browser = HTTPBrowser(issuer: server.issuer, transport: app.transport)
      let location = try await browser.authorize(pending.url, as: server.account)
      let response = try await app.redeem(try app.code(in: location, for: pending), for: pending)
      return try #require(response.body.refreshToken, "\(response)")
    }
  }
}
