import BrowserDriver
import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Testing

extension EndToEndTests {
  @Suite struct ClusterTests {
    @Test(
      """
      a user who signed in through two servers on one PostgreSQL database can refresh and use tokens while only one of \
      the servers runs, and after a sign-out, neither server accepts the tokens
      """)
    func roundTrip() async throws {
      try await withCluster(clients: [.notes]) { cluster in
        let (first, second) = (cluster.homes[0], cluster.homes[1])
        try await first.addAPI()
        try await withUser { user in
          try await withTestBrowser("cluster") { browser in
            try await Self.signIn(user, at: first, with: browser)
            try await cluster.stop(0)
            let token = try await user.sallyport("token", "--refresh")
            #expect(token.status == .exited(0), "\(token)")
            #expect(try await second.introspectsAsActive(token.line))
            try await cluster.start(0)
            try await cluster.stop(1)
            let whoami = try await user.sallyport("whoami", "--json")
            #expect(whoami.output.contains("\"ada\""), "\(whoami)")
            let refreshed = try await user.sallyport("token", "--refresh")
            #expect(refreshed.status == .exited(0) && refreshed.line != token.line, "\(refreshed)")
            try await cluster.start(1)
            for home in cluster.homes { #expect(try await home.introspectsAsActive(refreshed.line)) }

            let logout = try await user.sallyport("logout")
            #expect(logout.status == .exited(0), "\(logout)")
            for home in cluster.homes { #expect(try await !home.introspectsAsActive(refreshed.line)) }
            try await Self.signOut(browser, at: first)
          }
        }
      }
    }

    @Test("commands of operators at one server take effect at the other server")
    func commands() async throws {
      try await withCluster(clients: [.claimedHTTPS, .notes]) { cluster in
        let (first, second) = (cluster.homes[0], cluster.homes[1])
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.claimedHTTPS, at: first, transport: transport)
          let browser = HTTPBrowser(issuer: first.issuer, transport: transport)
          let pending = try app.begin()
          let location = try await browser.authorize(pending.url, as: first.account)
          let tokens = try await app.redeem(app.code(in: location, for: pending), for: pending).body
          let refresh = try #require(tokens.refreshToken)

          #expect(try await second.runCommand(["user", "list"]).output.contains("ada"))
          #expect(try await second.runCommand(["client", "list"]).output.contains("claimed"))
          for event in ["signed-in", "grant-issued"] {
            #expect(try await second.runCommand(["audit", "--kind", event, "--json"]).output.contains(event))
          }
          try await second.runCommand(["client", "remove", "claimed"])
          try await cluster.stop(1)
          try await eventually("the first server to reject the removed client") {
            // The load balancer in front of the servers receives the request. The request fails if a connection that
            // was kept open leads to the second server, which has stopped.
            let response = try? await app.refresh(refresh)
            return response?.body.error == "invalid_client" ? () : nil
          }
          try await cluster.start(1)
          try await second.runCommand(["user", "disable", "ada"])
          let other = try await HTTPApp(.notes, at: first, transport: transport)
          let request = try other.begin()
          await #expect(throws: (any Error).self) { try await browser.authorize(request.url, as: first.account) }
        }
      }
    }

    private static func signIn(_ user: UserHome, at server: ServerHome, with browser: Browser) async throws {
      let login = try await user.beginLogin(server, .notes)
      defer { login.process.end() }
      try await browser.open(login.url)
      try await browser.signIn(server.account)
      try await browser.decide(.allow)
      let finished = try await login.process.finish()
      #expect(finished.status == .exited(0), "\(finished)")
    }

    private static func signOut(_ browser: Browser, at server: ServerHome) async throws {
      try await browser.open("\(server.issuer)/sign-out")
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "the end of the session") { try await $0.text.contains("You are signed out") }
    }
  }
}
