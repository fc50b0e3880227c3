import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct MailKillTests {
    @Test("queued mail survives a server that is killed while it sends, and is sent again with the same Message-ID")
    func kill() async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let home = ServerHome(folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port)
        // The program that sends mail. The first attempt creates the folder `first`, and then sleeps for longer than
        // the test runs.
        let script = """
          cat > "\(folder)/message.$$"; if mkdir "\(folder)/first" 2>/dev/null; then sleep 600; fi; mv "\(folder)/message.$$" "\(folder)/sent"
          """
        let config = "\(folder)/sallyportd.yaml"
        try """
        issuer: \(home.issuer)
        mail: { from: accounts@example.com, command: "/bin/sh '\(folder)/sendmail.sh'" }
        """.write(toFile: config, atomically: true, encoding: .utf8)
        try script.write(toFile: "\(folder)/sendmail.sh", atomically: true, encoding: .utf8)
        try await home.runCommand(["user", "invite", "carol", "--email", "carol@example.com", "--send", "--config", config])
        let server = try await home.serve(["--config", config])
        try await eventually("the first attempt") { FileManager.default.fileExists(atPath: "\(folder)/first") ? () : nil }
        server.signal(SIGKILL)
        #expect(try await server.waitForExit() == .signaled(SIGKILL))
        let first = try #require(try Self.messages(in: folder).first)
        // The killed server's claim on the message expires after 3 minutes. Another server can then send the message.
        // The test makes the claim expire at once.
        let attempts = try await Self.expireClaim(in: home.data)
        #expect(attempts == "1")
        let second = try await home.serve(["--config", config])
        defer { second.end() }
        let sent = try await eventually("the second attempt") { try? String(contentsOfFile: "\(folder)/sent", encoding: .utf8) }
        #expect(sent.contains("To: <carol@example.com>") && Self.messageID(of: sent) != nil)
        #expect(Self.messageID(of: sent) == Self.messageID(of: first))
        try await eventually("the empty queue") { try await Self.query("SELECT count(*) FROM mail", home.data) == "0" ? () : nil }
      }
    }

    private static func messages(in folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("message.") }.map {
        try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
      }
    }

    private static func messageID(of message: String) -> Substring? {
      message.firstMatch(of: /Message-ID:\s+<([^>]+)>/)?.1
    }

    /// Makes a server's claim on the queued message expire.
    /// - Returns: The number of attempts to send the message so far.
    private static func expireClaim(in data: String) async throws -> String {
      try await self.query("UPDATE mail SET due_at = 0 RETURNING attempts", data)
    }

    private static func query(_ sql: String, _ data: String) async throws -> String {
      let program = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1] + "/sallyport.db", timeout=20)
        row = database.execute(sys.argv[2]).fetchone()
        database.commit()
        print(row[0])
        """
      return try await run(ChildCommand("/usr/bin/python3", ["-c", program, data, sql]), folder: data).line
    }
  }
}
