import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct RoundTripTests {
    @Test(
      """
      C-09, C-27, S-01, S-06, S-25: a user signs in to an app that uses the SDK, consents, and returns to it; then token, \
      whoami, refresh, and logout work
      """,
      arguments: [true, false])
    func roundTrip(scripting: Bool) async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await withTestBrowser(
            scripting ? "round-trip" : "round-trip-without-scripts", options: BrowserOptions(scripting: scripting)
          ) { browser in
            try await browser.open(login.url)
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            try await browser.wait(for: "the app's last page") { try await $0.currentURL.hasPrefix("http://127.0.0.1:") }
            #expect(try await browser.currentURL.contains("/oauth2redirect/localhost"))
            #expect(try await browser.text.contains("You can close this tab and go back to"))
          }
          let finished = try await login.process.finish()
          #expect(finished.status == .exited(0), "\(finished)")
          try await Self.useSession(of: user, at: server)
        }
      }
    }

    /// Runs `token`, `whoami`, `token --refresh`, and `logout`, as a script does.
    private static func useSession(of user: UserHome, at server: ServerHome) async throws {
      let token = try await user.sallyport("token")
      #expect(token.status == .exited(0), "\(token)")
      #expect(token.output == token.line + "\n" && token.line.split(separator: ".").count == 3)
      #expect(try await user.sallyport("token").line == token.line, "a token that is still valid is used again")

      let whoami = try await user.sallyport("whoami", "--json")
      #expect(whoami.status == .exited(0), "\(whoami)")
      #expect(whoami.output.contains("\"ada\""), "\(whoami)")

      let refreshed = try await user.sallyport("token", "--refresh")
      #expect(refreshed.status == .exited(0), "\(refreshed)")
      #expect(refreshed.line.split(separator: ".").count == 3 && refreshed.line != token.line)

      let logout = try await user.sallyport("logout")
      #expect(logout.status == .exited(0), "\(logout)")
      // Status 3 means that a sign-in is required.
      let afterLogout = try await user.sallyport("token")
      #expect(afterLogout.status == .exited(3) && afterLogout.output.isEmpty, "\(afterLogout)")
    }

    @Test("if the user denies the request, login exits with 4 and stores no token")
    func denies() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await withTestBrowser("denied") { browser in
            try await browser.open(login.url)
            try await browser.signIn(server.account)
            try await browser.decide(.deny)
            try await browser.wait(for: "the app's last page") { try await $0.currentURL.hasPrefix("http://127.0.0.1:") }
          }
          let finished = try await login.process.finish()
          #expect(finished.status == .exited(4), "\(finished)")
          #expect(try await user.sallyport("token").status == .exited(3))
        }
      }
    }

    @Test("after a wrong password, the page shows an error, and the correct password continues the same request")
    func wrongPassword() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await withTestBrowser("wrong-password") { browser in
            try await browser.open(login.url)
            try await browser.signIn(server.account.name, "not the password")
            try await browser.wait(for: "the error") { try await !$0.findAll("[role=alert]").isEmpty }
            try await keepScreenshot(of: browser, "wrong-password-error")
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
          }
          let finished = try await login.process.finish()
          #expect(finished.status == .exited(0), "\(finished)")
        }
      }
    }

    @Test(
      "S-27, S-14: in a signed-in browser, a second app requires consent but no password, and the first app requires consent again"
    )
    func secondApp() async throws {
      try await withServer(clients: [.notes, .tasks]) { server in
        try await withTestBrowser("second-app") { browser in
          try await withUser { user in
            let first = try await user.beginLogin(server, .notes)
            defer { first.process.end() }
            try await browser.open(first.url)
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            #expect(try await first.process.finish().status == .exited(0))
          }
          for client in [TestClient.tasks, .notes] {
            try await withUser { user in
              let login = try await user.beginLogin(server, client)
              defer { login.process.end() }
              try await browser.open(login.url)
              try await browser.waitForConsent()
              #expect(try await browser.findAll("input[name=password]").isEmpty)
              #expect(try await browser.text.contains(client.name))
              try await browser.decide(.allow)
              #expect(try await login.process.finish().status == .exited(0))
            }
          }
        }
      }
    }

    @Test("S-19: a user can continue the request in another browser, which has no cookies")
    func secondBrowser() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          let page = try await withTestBrowser("first-browser") { browser in
            try await browser.open(login.url)
            try await browser.wait(for: "the sign-in page") { try await !$0.findAll("input[name=username]").isEmpty }
            return try await browser.currentURL
          }
          try await withTestBrowser("second-browser") { browser in
            try await browser.open(page)
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            try await browser.wait(for: "the app's last page") { try await $0.currentURL.hasPrefix("http://127.0.0.1:") }
          }
          let finished = try await login.process.finish()
          #expect(finished.status == .exited(0), "\(finished)")
        }
      }
    }
  }
}
