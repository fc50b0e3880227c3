import BrowserDriver
import Foundation
import PostgresTestSupport
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  @Suite struct PointInTimeTests {
    @Test(
      """
      after a PostgreSQL database is restored to a point in time as docs/guides/cluster.md describes, no access or refresh token from \
      before the restore is accepted; mailed links, queued mail, and recovery codes are deleted; and users can sign in again
      """)
    func restores() async throws {
      try await withTemporaryFolder { folder in
        let (cluster, port) = (try PostgresCluster(settings: PostgresCluster.archiving), try freePort())
        try cluster.makeDatabase("sallyport")
        var home = ServerHome(
          folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port, database: cluster.url("sallyport"))
        try await home.addAccount()
        try await home.runCommand(["user", "add", "ben"], input: "\(home.account.password)\n")
        try await home.addClient(.claimedHTTPS)
        try await home.addAPI()
        var (time, tokens, accessTokens) = ("", [String](), [String]())
        try await Self.serving(home) { app in
          try cluster.query(Self.linksMailAndCode, in: "sallyport")
          try cluster.makeBaseBackup()
          let first = try await Self.signIn(to: app, at: home)
          time = try cluster.query("SELECT clock_timestamp()")
          let later = try await Self.signIn(to: app, at: home)
          let successor = try await app.refresh(first.refresh).body
          tokens = [first.refresh, try #require(successor.refreshToken), later.refresh]
          accessTokens = [first.access, try #require(successor.accessToken), later.access]
          for token in accessTokens {
            #expect(try await app.userinfoStatus(token) == 200)
            #expect(try await home.introspectsAsActive(token))
          }
        }
        try cluster.waitForArchive()

        let restored = try PostgresCluster(restoring: cluster, until: time)
        // At `time`, the user had one grant, and its first refresh token had not been used.
        let unused = "SELECT count(*) FROM sallyport.refresh_token WHERE consumed_at IS NULL"
        #expect(try restored.query(unused, in: "sallyport") == "1")
        #expect(try restored.query(Self.rowCount, in: "sallyport") == "4")
        // The first commands end all sessions and grants, and delete links and mail. The other commands delete the
        // recovery codes.
        for marker in ["'restored'", "DELETE FROM recovery_code"] {
          try restored.query(Self.commandsOfGuide(containing: marker), in: "sallyport")
        }
        #expect(try restored.query(Self.rowCount, in: "sallyport") == "0")
        home.database = restored.url("sallyport")
        try await Self.serving(home) { app in
          for token in tokens {
            let response = try await app.refresh(token)
            #expect(response.status == 400 && response.body.error == "invalid_grant", "\(response)")
          }
          for token in accessTokens {
            #expect(try await app.userinfoStatus(token) == 401)
            #expect(try await !home.introspectsAsActive(token))
          }
          let new = try await Self.signIn(to: app, at: home)
          #expect(try await app.refresh(new.refresh).status == 200)
          #expect(try await home.introspectsAsActive(new.access))
        }
      }
    }

    /// Inserts a password-reset link, a sign-up link, a queued message, and a recovery code. The links expire, and the
    /// message would be sent, in the year 2255.
    private static let linksMailAndCode = """
      INSERT INTO sallyport.account_link (fingerprint, purpose, account_id, created_at, expires_at)
        SELECT sha256('link'), 'password-reset', id, 0, 9000000000000 FROM sallyport.account LIMIT 1;
      INSERT INTO sallyport.sign_up (fingerprint, kind, email, created_at, expires_at)
        VALUES (sha256('sign-up'), 'address', 'ben@example.com', 0, 9000000000000);
      INSERT INTO sallyport.mail (id, recipient, content, attempts, created_at, due_at, expires_at)
        VALUES ('mail', 'ben@example.com', '{}', 0, 0, 9000000000000, 9000000000000);
      INSERT INTO sallyport.recovery_code (account_id, fingerprint, created_at)
        SELECT id, sha256('code'), 0 FROM sallyport.account WHERE username = 'ben'
      """
    /// Counts the rows that ``linksMailAndCode`` inserted.
    private static let rowCount = """
      SELECT (SELECT count(*) FROM sallyport.account_link) + (SELECT count(*) FROM sallyport.sign_up)
        + (SELECT count(*) FROM sallyport.mail) + (SELECT count(*) FROM sallyport.recovery_code)
      """

    private static func serving(_ home: ServerHome, _ body: (HTTPApp) async throws -> Void) async throws {
      let server = try await home.serve()
      defer { server.end() }
      try await AsyncHTTPClientTransport.withTransport { transport in
        try await body(HTTPApp(.claimedHTTPS, at: home, transport: transport))
      }
      server.signal(SIGTERM)
      _ = try await server.waitForExit()
    }

    /// Signs in with a new browser.
    private static func signIn(to app: HTTPApp, at home: ServerHome) async throws -> (refresh: String, access: String) {
      let browser = HTTPBrowser(issuer: home.issuer, transport: app.transport)
      let pending = try app.begin()
      let location = try await browser.authorize(pending.url, as: home.account)
      let tokens = try await app.redeem(app.code(in: location, for: pending), for: pending).body
      return (try #require(tokens.refreshToken), try #require(tokens.accessToken))
    }

    /// Returns the first SQL block of docs/guides/cluster.md that contains `marker`.
    private static func commandsOfGuide(containing marker: String) throws -> String {
      var root = URL(filePath: #filePath)
      // From Tests/EndToEndTests/Operations/PointInTimeTests.swift to the root of the repository.
      for _ in 0..<4 { root.deleteLastPathComponent() }
      let guide = try String(contentsOf: root.appending(path: "docs/guides/cluster.md"), encoding: .utf8)
      let blocks = guide.components(separatedBy: "```sql\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
      return try #require(blocks.first { $0.contains(marker) }, "the guide has no commands with \(marker)")
    }
  }
}
