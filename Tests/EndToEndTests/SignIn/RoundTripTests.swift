import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct RoundTripTests {
    @Test(
      """
      C-09, C-27, S-01, S-06, S-25: with an app that is made with the SDK a person signs in, agrees and is told to go back to it; token, \
      whoami, refresh and logout follow
      """,
      arguments: [true, false])
    func roundTrip(scripting: Bool) async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await withPerson(
            scripting ? "round-trip" : "round-trip-without-scripts", options: BrowserOptions(scripting: scripting)
          ) { browser in
            try await browser.open(login.url)
            try await browser.signIn(server.person)
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

    /// What a signed-in person's scripts do.
    private static func useSession(of user: UserHome, at server: ServerHome) async throws {
      let token = try await user.sallyport("token")
      #expect(token.status == .exited(0), "\(token)")
      #expect(token.output == token.line + "\n" && token.line.split(separator: ".").count == 3)
      #expect(try await user.sallyport("token").line == token.line, "a token that is still good is used again")

      let whoami = try await user.sallyport("whoami", "--json")
      #expect(whoami.status == .exited(0), "\(whoami)")
      #expect(whoami.output.contains("\"ada\""), "\(whoami)")

      let refreshed = try await user.sallyport("token", "--refresh")
      #expect(refreshed.status == .exited(0), "\(refreshed)")
      #expect(refreshed.line.split(separator: ".").count == 3 && refreshed.line != token.line)

      let logout = try await user.sallyport("logout")
      #expect(logout.status == .exited(0), "\(logout)")
      let after = try await user.sallyport("token")
      #expect(after.status == .exited(3) && after.output.isEmpty, "\(after)")
    }

    @Test("a person who denies ends the sign-in with exit code 4, and nobody is signed in")
    func denies() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await withPerson("denied") { browser in
            try await browser.open(login.url)
            try await browser.signIn(server.person)
            try await browser.decide(.deny)
            try await browser.wait(for: "the app's last page") { try await $0.currentURL.hasPrefix("http://127.0.0.1:") }
          }
          let finished = try await login.process.finish()
          #expect(finished.status == .exited(4), "\(finished)")
          #expect(try await user.sallyport("token").status == .exited(3))
        }
      }
    }

    @Test("a wrong password is said on the page, and the right one goes on with the same request")
    func wrongPassword() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await withPerson("wrong-password") { browser in
            try await browser.open(login.url)
            try await browser.signIn(server.person.name, "not the password")
            try await browser.wait(for: "the refusal") { try await !$0.findAll("[role=alert]").isEmpty }
            try await keepScreenshot(of: browser, "wrong-password-said")
            try await browser.signIn(server.person)
            try await browser.decide(.allow)
          }
          let finished = try await login.process.finish()
          #expect(finished.status == .exited(0), "\(finished)")
        }
      }
    }

    @Test("S-27, S-14: a second app needs no password and still needs consent; the first one is asked for consent again")
    func secondApp() async throws {
      try await withServer(clients: [.notes, .tasks]) { server in
        try await withPerson("second-app") { browser in
          try await withUser { user in
            let first = try await user.beginLogin(server, .notes)
            defer { first.process.end() }
            try await browser.open(first.url)
            try await browser.signIn(server.person)
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

    @Test("S-19: a person takes the request to a second browser without cookies and finishes there")
    func secondBrowser() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          let page = try await withPerson("first-browser") { browser in
            try await browser.open(login.url)
            try await browser.wait(for: "the sign-in page") { try await !$0.findAll("input[name=username]").isEmpty }
            return try await browser.currentURL
          }
          try await withPerson("second-browser") { browser in
            try await browser.open(page)
            try await browser.signIn(server.person)
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
