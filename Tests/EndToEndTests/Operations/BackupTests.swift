import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Tests `sallyportd backup` and `restore`, and their effects on users who are signed in.
  @Suite struct BackupTests {
    /// Gets two refresh tokens, makes a backup while the server runs, uses one token, stops the server, restores the
    /// backup, and starts the server again.
    /// - Parameters:
    ///   - arguments: The arguments of `restore` that follow the path of the backup. `FOLDER` stands for the folder of
    ///     the test.
    ///   - withoutKey: Whether to make the backup without the key file.
    private func afterRestoring(
      _ arguments: [String], withoutKey: Bool = false,
      _ body: (ServerHome, HTTPApp, _ unused: String, _ used: String) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let port = try freePort()
        let home = ServerHome(folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port)
        try await home.addAccount()
        try await home.addClient(.claimedHTTPS)
        try await AsyncHTTPClientTransport.withTransport { transport in
          let server = try await home.serve()
          defer { server.end() }
          let app = try await HTTPApp(.claimedHTTPS, at: home, transport: transport)
          let (unused, used) = (try await self.refreshToken(app, home), try await self.refreshToken(app, home))
          try await home.runCommand(["backup", "\(folder)/backup"] + (withoutKey ? ["--without-key"] : []))
          let next = try await app.refresh(used)
          #expect(next.body.refreshToken != nil)
          // While the server runs, `restore` without `--online` cannot replace the data.
          let refused = try await self.attempt(home, ["restore", "\(folder)/backup", "--replace"])
          #expect(refused.status == .exited(1) && refused.errorOutput.contains("in use"), "\(refused)")
          server.signal(SIGTERM)
          #expect(try await server.finish(within: .seconds(10)).status == .exited(0))
          try await home.runCommand(["restore", "\(folder)/backup"] + arguments.map { $0.replacing("FOLDER", with: folder) })
          let restoredServer = try await home.serve()
          defer { restoredServer.end() }
          try await body(home, app, unused, used)
        }
      }
    }

    private func refreshToken(_ app: HTTPApp, _ home: ServerHome) async throws -> String {
      let browser = HTTPBrowser(issuer: home.issuer, transport: app.transport)
      let pending = try app.begin()
      let location = try await browser.authorize(pending.url, as: home.account)
      return try #require(try await app.redeem(app.code(in: location, for: pending), for: pending).body.refreshToken)
    }

    private func attempt(_ home: ServerHome, _ arguments: [String], data: String? = nil) async throws -> CommandResult {
      let command = ChildCommand(BuildFolder.command("sallyportd"), arguments + ["--data", data ?? home.data])
      return try await run(command, folder: home.folder)
    }

    @Test("S-23: without --keep-grants, a restore ends all grants of the backup, and users sign in again with their passwords")
    func endsGrants() async throws {
      try await self.afterRestoring(["--replace"]) { home, app, unused, used in
        for token in [unused, used] {
          let response = try await app.refresh(token)
          #expect(response.body.error == "invalid_grant")
        }
        let newToken = try await self.refreshToken(app, home)
        #expect(!newToken.isEmpty)
        let kept = try FileManager.default.contentsOfDirectory(atPath: home.data).filter { $0.hasPrefix("replaced-") }
        #expect(kept.count == 1)
      }
    }

    @Test("with --keep-grants and a separate key file, a token that was not used since the backup is valid")
    func keepsGrants() async throws {
      try await self.afterRestoring(["--replace", "--keep-grants", "--key", "FOLDER/data/key"], withoutKey: true) {
        _, app, unused, _ in
        let response = try await app.refresh(unused)
        #expect(response.body.accessToken != nil)
      }
    }

    @Test(
      "a backup does not overwrite a backup; a restore replaces data only with --replace, and not if the backup is damaged or the key is wrong"
    )
    func rejections() async throws {
      try await withTemporaryFolder { folder in
        let home = ServerHome(folder: folder, issuer: "http://localhost:1", host: "127.0.0.1", port: 1)
        try await home.addAccount()
        try await home.runCommand(["key", "rotate"])
        let backup = "\(folder)/backup"
        try await home.runCommand(["backup", backup])
        for name in try FileManager.default.contentsOfDirectory(atPath: backup) {
          let mode = try FileManager.default.attributesOfItem(atPath: "\(backup)/\(name)")[.posixPermissions] as? Int
          #expect(mode == 0o600, "\(name)")
        }
        let again = try await self.attempt(home, ["backup", backup])
        #expect(again.status == .exited(1) && again.errorOutput.contains("already"), "\(again)")
        let withoutReplace = try await self.attempt(home, ["restore", backup])
        #expect(withoutReplace.status == .exited(1) && withoutReplace.errorOutput.contains("--replace"), "\(withoutReplace)")
        let other = ServerHome(folder: folder + "/other", issuer: "http://localhost:1", host: "127.0.0.1", port: 1)
        try FileManager.default.createDirectory(atPath: other.folder, withIntermediateDirectories: true)
        try await other.addAccount()
        let wrongKey = try await self.attempt(home, ["restore", backup, "--replace", "--key", "\(other.data)/key"])
        #expect(wrongKey.status == .exited(1) && wrongKey.errorOutput.contains("does not match"), "\(wrongKey)")
        let database = "\(backup)/sallyport.db"
        // Replaces the database's fourth page of 4,096 bytes with zeros.
        let whole = try #require(FileManager.default.contents(atPath: database))
        try (whole.prefix(4_096 * 3) + Data(count: 4_096) + whole.dropFirst(4_096 * 4)).write(to: URL(filePath: database))
        let damaged = try await self.attempt(home, ["restore", backup, "--replace"])
        #expect(damaged.status == .exited(3), "\(damaged)")
        #expect(try await home.runCommand(["user", "list"]).output.contains(home.account.name))
        let left = try FileManager.default.contentsOfDirectory(atPath: home.data)
        #expect(!left.contains { $0.hasPrefix(".staged") || $0.hasPrefix("replaced") || $0 == "restoring" }, "\(left)")
      }
    }

    @Test("a backup in which one byte was changed after it was made is rejected, although SQLite does not detect the change")
    func changed() async throws {
      try await withTemporaryFolder { folder in
        let home = ServerHome(folder: folder, issuer: "http://localhost:1", host: "127.0.0.1", port: 1)
        try await home.addAccount()
        try await home.runCommand(["backup", "\(folder)/backup"])
        let database = URL(filePath: "\(folder)/backup/sallyport.db")
        var bytes = try Data(contentsOf: database)
        let hash = try #require(bytes.range(of: Data("$argon2id$".utf8)))
        // Changes a byte of the stored password hash.
        bytes[hash.upperBound + 40] ^= 1
        try bytes.write(to: database)
        let refused = try await self.attempt(home, ["restore", "\(folder)/backup", "--replace"])
        #expect(refused.status == .exited(1) && refused.errorOutput.contains("has changed since"), "\(refused)")
        // Without the digest in backup.json, the restore does not notice the change.
        try FileManager.default.removeItem(atPath: "\(folder)/backup/backup.json")
        try await home.runCommand(["restore", "\(folder)/backup", "--replace"])
        // If the parent folder is missing, the error does not suggest that another backup is in progress.
        let missingParent = try await self.attempt(home, ["backup", "\(folder)/missing/backup"])
        #expect(
          missingParent.errorOutput.contains("No such file") && !missingParent.errorOutput.contains("another"), "\(missingParent)"
        )
      }
    }

    @Test("after an interrupted restore, the data cannot be opened until the restore is repeated")
    func interrupted() async throws {
      try await withTemporaryFolder { folder in
        let home = ServerHome(folder: folder, issuer: "http://localhost:1", host: "127.0.0.1", port: 1)
        try await home.addAccount()
        try await home.runCommand(["backup", "\(folder)/backup"])
        try FileManager.default.createDirectory(atPath: "\(home.data)/restoring", withIntermediateDirectories: false)
        try FileManager.default.removeItem(atPath: "\(home.data)/sallyport.db")
        let refused = try await self.attempt(home, ["user", "list"])
        #expect(refused.status == .exited(3) && refused.errorOutput.contains("--replace"), "\(refused)")
        // The interrupted restore also left incomplete files.
        for name in ["key", "sallyport.db"] {
          try "half".write(toFile: "\(home.data)/restoring/\(name)", atomically: true, encoding: .utf8)
        }
        try FileManager.default.createDirectory(atPath: "\(home.data)/.staged-AbCdEf", withIntermediateDirectories: false)
        try "half".write(toFile: "\(home.data)/.staged-AbCdEf/key", atomically: true, encoding: .utf8)
        // Each restore keeps the old data under a different name, even if several restores run within one second.
        for _ in 1...3 { try await home.runCommand(["restore", "\(folder)/backup", "--replace"]) }
        #expect(try await home.runCommand(["user", "list"]).output.contains(home.account.name))
        let left = try FileManager.default.contentsOfDirectory(atPath: home.data)
        #expect(left.filter { $0.hasPrefix("replaced-") }.count == 3)
        #expect(!left.contains { $0.hasPrefix(".staged") || $0 == "restoring" })
      }
    }

    @Test("with --online, a backup is restored while the server runs, and the server keeps its current keys")
    func online() async throws {
      try await withServer(clients: [.claimedHTTPS]) { home in
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.claimedHTTPS, at: home, transport: transport)
          let token = try await self.refreshToken(app, home)
          let oldKeys = try await app.publishedKeys()
          let backup = "\(home.folder)/backup"
          try await home.runCommand(["backup", backup])
          try await home.addClient(.tasks)
          try await home.runCommand(["key", "rotate", "--immediately"])
          let tasks = try await HTTPApp(.tasks, at: home, transport: transport)
          let tasksToken = try await self.refreshToken(tasks, home)
          let newKeys = try await app.publishedKeys()
          #expect(Set(newKeys).isDisjoint(with: oldKeys))

          let restored = try await self.attempt(home, ["restore", backup, "--online", "--json"])
          #expect(restored.status == .exited(0), "\(restored)")
          try await eventually("the server to forget the client") {
            try await tasks.refresh(tasksToken).body.error == "invalid_client" ? () : nil
          }
          let response = try await app.refresh(token)
          #expect(response.body.error == "invalid_grant")
          #expect(try await app.publishedKeys() == newKeys, "a key that was withdrawn after a leak must not sign again")
          let newToken = try await self.refreshToken(app, home)
          let next = try await app.refresh(newToken)
          #expect(next.body.accessToken != nil)
          let left = try FileManager.default.contentsOfDirectory(atPath: home.data)
          let replaced = try #require(left.first { $0.hasPrefix("replaced-") })
          #expect(!left.contains { $0.hasPrefix(".staged") }, "\(left)")
          let old = try await self.attempt(home, ["client", "list"], data: "\(home.data)/\(replaced)")
          #expect(old.output.contains(TestClient.tasks.id), "the copy must contain the replaced data: \(old)")
        }
      }
    }

    @Test("an online restore that is killed leaves either the old or the restored data, and complete copies of the old data")
    func killedOnline() async throws {
      try await withServer(clients: [.claimedHTTPS]) { home in
        let backup = "\(home.folder)/backup"
        try await home.runCommand(["backup", backup])
        try await AsyncHTTPClientTransport.withTransport { transport in
          let app = try await HTTPApp(.claimedHTTPS, at: home, transport: transport)
          for round in 1...10 {
            // The backup does not contain this client, so the data without it is the restored data.
            let isRestored = try await !home.runCommand(["client", "list"]).output.contains(TestClient.tasks.id)
            if isRestored { try await home.addClient(.tasks) }
            let token = try await self.refreshToken(app, home)
            let restore = try ChildProcess(
              ChildCommand(BuildFolder.command("sallyportd"), ["restore", backup, "--online", "--data", home.data]),
              folder: home.folder)
            // Each round kills the restore one observed change later than the previous round.
            try await Self.waitForChanges(round - 1, in: home.data, by: restore)
            restore.signal(SIGKILL)
            _ = try await restore.waitForExit()
            let isUnchanged = try await home.runCommand(["client", "list"]).output.contains(TestClient.tasks.id)
            let response = try await app.refresh(token)
            #expect(response.body.error == (isUnchanged ? nil : "invalid_grant"), "round \(round): \(response)")
            for name in try FileManager.default.contentsOfDirectory(atPath: home.data) where name.hasPrefix("replaced-") {
              let kept = try await self.attempt(home, ["client", "list"], data: "\(home.data)/\(name)")
              #expect(kept.output.contains(TestClient.tasks.id), "round \(round): \(name) is not a copy of the old data: \(kept)")
            }
          }
          try await home.runCommand(["restore", backup, "--online"])
          let left = try FileManager.default.contentsOfDirectory(atPath: home.data)
          #expect(!left.contains { $0.hasPrefix(".staged") }, "\(left)")
        }
      }
    }

    /// Waits until this number of changes to the files in the folder has been observed, or the process has ended.
    private static func waitForChanges(_ count: Int, in folder: String, by process: ChildProcess) async throws {
      var (seen, changes) = (self.files(in: folder), 0)
      try await eventually("change \(count) in \(folder)") {
        let now = self.files(in: folder)
        if now != seen { (seen, changes) = (now, changes + 1) }
        return changes >= count || process.exitStatus != nil ? () : nil
      }
    }

    /// Returns the paths and sizes of all files in a folder and its subfolders.
    ///
    /// If another process removes a file or folder after this function has read its name, the result contains the path
    /// with the size -1. In that case, `subpathsOfDirectory(atPath:)` would throw an error.
    private static func files(in folder: String) -> [String: Int] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.reduce(into: [:]) { files, name in
        let path = "\(folder)/\(name)"
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        files[path] = attributes?[.size] as? Int ?? -1
        if attributes?[.type] as? FileAttributeType == .typeDirectory {
          files.merge(self.files(in: path)) { size, _ in size }
        }
      }
    }

    @Test(
      "an online restore fails without existing data, with a backup of another server, and with --key, and changes nothing")
    func onlineRejections() async throws {
      try await withTemporaryFolder { folder in
        let home = ServerHome(folder: folder, issuer: "http://localhost:1", host: "127.0.0.1", port: 1)
        let withoutData = try await self.attempt(home, ["restore", "\(folder)/backup", "--online"])
        #expect(withoutData.status == .exited(1) && withoutData.errorOutput.contains("without --online"), "\(withoutData)")
        try await home.addAccount()
        let other = ServerHome(folder: folder + "/other", issuer: "http://localhost:1", host: "127.0.0.1", port: 1)
        try FileManager.default.createDirectory(atPath: other.folder, withIntermediateDirectories: true)
        try await other.runCommand(["key", "rotate"])
        try await other.runCommand(["backup", "\(folder)/foreign"])
        let foreign = try await self.attempt(home, ["restore", "\(folder)/foreign", "--online"])
        #expect(foreign.status == .exited(1) && foreign.errorOutput.contains("does not match"), "\(foreign)")
        let withKey = try await self.attempt(home, ["restore", "\(folder)/foreign", "--online", "--key", "\(other.data)/key"])
        #expect(withKey.status == .exited(2) && withKey.errorOutput.contains("--key"), "\(withKey)")
        #expect(try await home.runCommand(["user", "list"]).output.contains(home.account.name))
        let left = try FileManager.default.contentsOfDirectory(atPath: home.data)
        #expect(!left.contains { $0.hasPrefix(".staged") || $0.hasPrefix("replaced") }, "\(left)")
      }
    }
  }
}
