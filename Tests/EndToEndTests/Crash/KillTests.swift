import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  @Suite struct KillTests {
    /// The number of times that the server is killed. For a longer test, run
    /// `SALLYPORT_KILL_ROUNDS=20 swift test --filter KillTests`.
    private static let rounds = ProcessInfo.processInfo.environment["SALLYPORT_KILL_ROUNDS"].flatMap { Int($0) } ?? 5

    @Test("S-22, S-23: a server that is killed under load loses no acknowledged token and redeems no code twice")
    func kills() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let home = ServerHome(folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port)
        try await home.addAccount()
        try await home.addClient(.claimedHTTPS)
        var server = try await home.serve()
        defer { server.end() }
        try await AsyncHTTPClientTransport.withTransport { transport in
          let load = try await Self.load(on: home, transport)
          try await withThrowingTaskGroup(of: Void.self) { group in
            for session in 0..<6 { group.addTask { try await load.keepRefreshing(session) } }
            for _ in 0..<2 { group.addTask { try await load.keepRedeeming() } }
            for _ in 0..<Self.rounds {
              let before = load.ledger.current.acknowledgedCount
              try await eventually("60 more responses") { load.ledger.current.acknowledgedCount > before + 60 ? () : nil }
              server.signal(SIGKILL)
              #expect(try await server.waitForExit() == .signaled(SIGKILL))
              server = try await home.serve()
            }
            group.cancelAll()
            try await group.waitForAll()
          }
          try await Self.check(load)
        }
      }
    }

    /// Creates the clients that send requests, with a browser in which the user is signed in and has given consent.
    private static func load(on home: ServerHome, _ transport: AsyncHTTPClientTransport) async throws -> LoadGenerator {
      let app = try await HTTPApp(.claimedHTTPS, at: home, transport: transport)
      let browser = HTTPBrowser(issuer: home.issuer, transport: transport)
      _ = try await browser.authorize(app.begin().url, as: home.account)
      return LoadGenerator(app: app, browser: browser, account: home.account, ledger: Ledger())
    }

    private static func check(_ load: LoadGenerator) async throws {
      let ledger = load.ledger.current
      #expect(ledger.faults.isEmpty, "\(ledger.faults)")
      // `redemptions` contains the number of successful redemptions of each code.
      #expect(ledger.redemptions.filter { $0.value != 1 }.isEmpty)
      #expect(
        ledger.sessions.count == 6 && ledger.redemptions.count > 5, "too few requests succeeded: \(ledger.acknowledgedCount)")
      for (session, token) in ledger.sessions {
        let response = try await load.app.refresh(token)
        #expect(response.status == 200, "session \(session) lost its token: \(response)")
      }
    }
  }
}
