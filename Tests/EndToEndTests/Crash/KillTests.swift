import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  @Suite struct KillTests {
    /// Run `SALLYPORT_KILL_ROUNDS=100 swift test --filter KillTests` for a longer test.
    private static let rounds = ProcessInfo.processInfo.environment["SALLYPORT_KILL_ROUNDS"].flatMap { Int($0) } ?? 5

    @Test(
      "S-22, S-23: a server killed under load loses no acknowledged token and redeems no code twice", .timeLimit(.minutes(20)))
    func kills() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let home = ServerHome(folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port)
        try await home.addAccount()
        try await home.addClient(.claimed)
        var server = try await home.serve()
        defer { server.end() }
        try await AsyncHTTPClientTransport.withTransport { transport in
          let visitors = try await Self.visitors(at: home, transport)
          try await withThrowingTaskGroup(of: Void.self) { group in
            for session in 0..<6 { group.addTask { try await visitors.keepRefreshing(session) } }
            for _ in 0..<2 { group.addTask { try await visitors.keepRedeeming() } }
            for _ in 0..<Self.rounds {
              let before = visitors.ledger.current.acknowledged
              try await eventually("60 more responses") { visitors.ledger.current.acknowledged > before + 60 ? () : nil }
              server.signal(SIGKILL)
              #expect(try await server.waitForExit() == .signaled(SIGKILL))
              server = try await home.serve()
            }
            group.cancelAll()
            try await group.waitForAll()
          }
          try await Self.check(visitors)
        }
      }
    }

    /// Creates clients of an app with remembered consent, and a user who is signed in.
    private static func visitors(at home: ServerHome, _ transport: AsyncHTTPClientTransport) async throws -> Visitors {
      let app = try await HTTPApp(.claimed, at: home, transport: transport)
      let browser = HTTPBrowser(issuer: home.issuer, transport: transport)
      _ = try await browser.authorize(app.begin().url, as: home.account)
      return Visitors(app: app, browser: browser, account: home.account, ledger: Ledger())
    }

    private static func check(_ visitors: Visitors) async throws {
      let ledger = visitors.ledger.current
      #expect(ledger.faults.isEmpty, "\(ledger.faults)")
      #expect(ledger.redemptions.filter { $0.value != 1 }.isEmpty)
      #expect(ledger.sessions.count == 6 && ledger.redemptions.count > 5, "too few requests succeeded: \(ledger.acknowledged)")
      for (session, token) in ledger.sessions {
        let response = try await visitors.app.refresh(token)
        #expect(response.status == 200, "session \(session) lost its token: \(response)")
      }
    }
  }
}
