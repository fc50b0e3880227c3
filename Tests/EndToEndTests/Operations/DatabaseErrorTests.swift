import BrowserDriver
import Foundation
import PostgresTestSupport
import Testing

extension EndToEndTests {
  @Suite struct DatabaseErrorTests {
    /// A reason why the programs cannot use a PostgreSQL database.
    enum Obstacle: CaseIterable {
      case passwordInURL, refusedConnection, readOnly, newerSchema, otherKeyFile, oldVersion

      var exitCode: Int32 {
        switch self {
        case .passwordInURL: 2
        case .refusedConnection, .readOnly: 1
        case .newerSchema, .otherKeyFile, .oldVersion: 3
        }
      }

      /// The part of the message that says what to do.
      var advice: String {
        switch self {
        case .passwordInURL: "put the password into ~/.pgpass"
        case .refusedConnection: "check that PostgreSQL runs and accepts connections"
        case .readOnly: "the database URL names the primary"
        case .newerSchema: "use that version"
        case .otherKeyFile: "copy the key file"
        case .oldVersion: "use PostgreSQL 15 or later"
        }
      }

      /// Whether the server starts nevertheless, and tries again.
      var isTemporary: Bool { self.exitCode == 1 }
    }

    @Test(
      """
      with a PostgreSQL database that cannot be used, a command exits with 2 for invalid settings, 1 for a problem that may \
      pass, and 3 for one that an operator must solve; the command says what to do, and changes nothing
      """, arguments: Obstacle.allCases)
    func commands(_ obstacle: Obstacle) async throws {
      try await withHome(obstacle) { home in
        let before = Self.content(of: home)
        for words in [["key", "rotate"], ["user", "list"]] {
          let finished = try await Self.finish(words, at: home)
          #expect(finished.status == .exited(obstacle.exitCode), "\(words): \(finished)")
          #expect(finished.errorOutput.contains(obstacle.advice), "\(words): \(finished)")
        }
        #expect(Self.content(of: home) == before)
      }
    }

    @Test(
      """
      with a PostgreSQL database that cannot be used, the server exits with 2 or 3, but starts if the problem may pass
      """, arguments: Obstacle.allCases)
    func server(_ obstacle: Obstacle) async throws {
      try await withHome(obstacle) { home in
        if obstacle.isTemporary {
          let server = try await home.serve()
          defer { server.end() }
          try await eventually("the server to say what to check") { server.errorOutput.contains(obstacle.advice) ? () : nil }
        } else {
          let finished = try await Self.finish(["serve", "--issuer", home.issuer, "--port", "\(home.port)"], at: home)
          #expect(finished.status == .exited(obstacle.exitCode), "\(finished)")
          #expect(finished.errorOutput.contains(obstacle.advice), "\(finished)")
        }
      }
    }

    // MARK: Obstacles

    /// Runs `body` with the settings of a server whose database cannot be used. The server is not running.
    private func withHome(_ obstacle: Obstacle, _ body: (ServerHome) async throws -> Void) async throws {
      try await withTemporaryFolder { folder in
        let (cluster, port, unused) = (try PostgresCluster.shared(), try freePort(), try freePort())
        let name = "obstacle_\(UInt64.random(in: 0 ... .max))"
        try cluster.makeDatabase(name)
        var home = ServerHome(
          folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port, database: cluster.url(name))
        switch obstacle {
        case .passwordInURL: home.database = "postgres://ada:secret@localhost/sallyport"
        case .refusedConnection: home.database = "postgres://127.0.0.1:\(unused)/sallyport"
        case .readOnly: try cluster.query("ALTER DATABASE \"\(name)\" SET default_transaction_read_only = on")
        case .newerSchema:
          try await home.runCommand(["key", "rotate"])
          try cluster.query("UPDATE sallyport.schema_version SET version = version + 1", in: name)
        case .otherKeyFile:
          try await home.runCommand(["key", "rotate"])
          let key = String(repeating: "A", count: 43)
          try key.write(toFile: "\(home.data)/key", atomically: false, encoding: .utf8)
        case .oldVersion:
          home.database = "postgres://postgres@/sallyport?host=\(folder)"
          let server = try ChildProcess(
            ChildCommand("/usr/bin/python3", ["-c", Self.oldServer, "\(folder)/.s.PGSQL.5432"]), folder: folder)
          defer { server.end() }
          try await eventually("the old server to listen") {
            FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.5432") ? () : nil
          }
          return try await body(home)
        }
        try await body(home)
      }
    }

    /// A program that responds to the startup message as PostgreSQL 14 does.
    private static let oldServer = """
      import socket, struct, sys
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen()
      settings = {"server_version": "14.9", "server_encoding": "UTF8", "client_encoding": "UTF8", "in_hot_standby": "off",
                  "default_transaction_read_only": "off", "standard_conforming_strings": "on"}
      def message(kind, body):
          return kind + struct.pack("!I", len(body) + 4) + body
      while True:
          client = listener.accept()[0]
          client.recv(10000)
          client.sendall(message(b"R", struct.pack("!I", 0)) + b"".join(
              message(b"S", f"{name}\\0{value}\\0".encode()) for name, value in settings.items()) + message(b"Z", b"I"))
      """

    private static func finish(_ words: [String], at home: ServerHome) async throws -> CommandResult {
      let options = ["--data", home.data, "--database", home.database ?? ""]
      let command = ChildCommand(BuildFolder.command("sallyportd"), words + options)
      return try await run(command, folder: home.folder)
    }

    /// The path of the data folder, and the content of the key file; nil for each that does not exist.
    private static func content(of home: ServerHome) -> [String?] {
      [
        FileManager.default.fileExists(atPath: home.data) ? home.data : nil,
        try? String(contentsOfFile: "\(home.data)/key", encoding: .utf8),
      ]
    }
  }
}
