import ArgumentParser
import Foundation
import Logging
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import Synchronization
import Testing

@testable import SallyportDaemon

@Suite("sallyportd audit")
struct AuditCommandTests {
  /// Creates a data directory and removes it after `body`.
  private func withData(_ body: (_ path: String, DataDirectory) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "sallyport-audit-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path, try DataDirectory(path: path))
  }

  /// Returns the lines that `sallyportd audit` prints with these arguments.
  private func lines(_ arguments: [String], _ directory: DataDirectory, at now: Timestamp = .now()) async throws -> [String] {
    let command = try AuditCommand.parse(arguments)
    return try await AuditReader(store: directory.store).newestLines(try await command.query(of: directory.store, at: now))
      .map(\.text)
  }

  /// Adds the user "ada".
  private func ada(_ directory: DataDirectory) async throws -> AccountID {
    let account = AccountRecord(
      id: AccountID(rawValue: "acct-1"), username: try #require(Username("ada")), passwordHash: "x",
      passwordChangedAt: .now(), createdAt: .now())
    try await directory.store.write { (tx) throws(StoreError) in try tx.insert(account) }
    return account.id
  }

  @Test("reasons that are stored under earlier names are printed with today's names")
  func earlierNames() throws {
    for (stored, printed) in [("person", "user"), ("other-person", "other-user"), ("hint", "hint")] {
      let reason = try #require(AuditReason(rawValue: stored))
      let record = AuditRecord(.signedOut, reason, session: "s", from: .request("r", from: "192.0.2.7"), at: .now())
      let text = AuditLine(record, username: nil).text
      #expect(text.hasSuffix("signed-out reason=\(printed) session=s address=192.0.2.7 request_id=r"))
    }
  }

  @Test("each option filters the records, and the newest record is last")
  func filters() async throws {
    try await self.withData { _, directory in
      let (ada, now) = (try await self.ada(directory), Timestamp(milliseconds: 1_795_255_200_123))
      let records = [
        AuditRecord(.clientAdded, client: ClientID(rawValue: "notes"), from: .command, at: now - .seconds(7_300)),
        AuditRecord(
          .signInRejected, .wrongPassword, account: ada, from: .request("r1", from: "192.0.2.7"), at: now - .seconds(3_700)),
        AuditRecord(.signedIn, account: ada, session: "s", from: .request("r2", from: "2001:db8::7"), at: now - .seconds(60)),
        AuditRecord(.signInRejected, .unknownAccount, more: 3_412, from: .server, at: now),
      ]
      try await directory.store.write { (tx) throws(StoreError) in for record in records { try tx.insert(record) } }
      let all = try await self.lines([], directory)
      #expect(
        all == [
          "2026-11-21T07:58:20.123Z client-added client_id=notes by=command",
          "2026-11-21T08:58:20.123Z sign-in-refused reason=wrong-password username=ada address=192.0.2.7 request_id=r1",
          "2026-11-21T09:59:00.123Z signed-in username=ada session=s address=2001:db8::7 request_id=r2",
          "2026-11-21T10:00:00.123Z sign-in-refused reason=unknown-account by=server and 3412 more in the same minute",
        ])
      // The arguments of the command, and the indices in `all` of the lines that it prints.
      let table: [(arguments: [String], lines: [Int])] = [
        (["--limit", "2"], [2, 3]), (["--since", "2h"], [1, 2, 3]), (["--since", "2026-11-21T08:58:20Z"], [1, 2, 3]),
        (["--until", "2026-11-21 09:00"], [0, 1]), (["--since", "2026-11-21", "--until", "2026-11-22"], [0, 1, 2, 3]),
        (["--account", "ADA"], [1, 2]), (["--client", "notes"], [0]), (["--request", "r1"], [1]),
        (["--address", "2001:db8::7"], [2]), (["--kind", "signed-in", "--kind", "client-added"], [0, 2]),
        (["--account", "ada", "--since", "2m"], [2]),
      ]
      for (arguments, expected) in table {
        #expect(try await self.lines(arguments, directory, at: now) == expected.map { all[$0] }, "\(arguments)")
      }
      await #expect(
        throws: Failure("there is no user \"eve\", and the audit trail has no records for an account with this ID")
      ) { _ = try await self.lines(["--account", "eve"], directory) }
      // The client "notes" does not exist either, but the command accepted it above, because it has a record.
      await #expect(throws: Failure("there is no client \"nobody\", and the audit trail has no records for it")) {
        _ = try await self.lines(["--client", "nobody"], directory)
      }
      // `AuditReader.all` ignores the limit of the query, and prints every matching record.
      var printed: [String] = []
      try await AuditReader(store: directory.store).all(AuditQuery(limit: 1)) { printed.append($0.text) }
      #expect(printed == all)
      let json = try JSONEncoder().encode(try await AuditReader(store: directory.store).newestLines(AuditQuery(limit: 1)))
      let object = try #require(try JSONSerialization.jsonObject(with: json) as? [[String: Any]])
      #expect(object[0]["event"] as? String == "sign-in-refused" && object[0]["more"] as? Int == 3_412)
      #expect(object[0]["time"] as? String == "2026-11-21T10:00:00.123Z" && object[0]["reason"] as? String == "unknown-account")
    }
  }

  @Test("--account accepts the ID of an account, even of one that was removed and still has records")
  func accountIDs() async throws {
    try await self.withData { _, directory in
      let (ada, now) = (try await self.ada(directory), Timestamp.now())
      let accounts = [ada, AccountID(rawValue: "acct-Removed")]
      try await directory.store.write { (tx) throws(StoreError) in
        for account in accounts { try tx.insert(AuditRecord(.signedIn, account: account, from: .server, at: now)) }
      }
      for (account, field) in zip(accounts, ["username=ada", "account=acct-Removed"]) {
        let lines = try await self.lines(["--account", account.rawValue], directory)
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains(" \(field) ") }, "\(lines)")
      }
    }
  }

  @Test(
    "invalid options are usage errors",
    arguments: [
      ["--since", "yesterday"], ["--until", "2026-13-01"], ["--kind", "everything"], ["--limit", "0"], ["--all", "--limit", "3"],
      ["--all", "--follow"], ["--follow", "--until", "2h"],
    ])
  func usage(arguments: [String]) {
    #expect(throws: (any Error).self) { try AuditCommand.parse(arguments) }
  }

  @Test(
    "--follow prints the newest records and then each new record once, even if a record with a later time was printed before")
  func follow() async throws {
    try await self.withData { _, directory in
      let (store, now) = (directory.store, Timestamp.now())
      @Sendable func insert(_ client: String, _ ago: Int) async throws {
        let record = AuditRecord(.clientAdded, client: ClientID(rawValue: client), from: .command, at: now - .seconds(ago))
        try await store.write { (tx) throws(StoreError) in try tx.insert(record) }
      }
      for (client, ago) in [("long-ago", 100), ("beyond-limit", 2), ("newest", 1)] { try await insert(client, ago) }
      let (printed, continuation) = AsyncStream.makeStream(of: String.self)
      let following = Task {
        try await AuditReader(store: store).follow(AuditQuery(limit: 1), every: .milliseconds(5)) { continuation.yield($0.text) }
      }
      var seen: [String] = []
      for await line in printed {
        seen.append(line.split(separator: "client_id=").last.map(String.init) ?? "")
        switch seen.count {
        case 1: try await insert("next", 0)
        // This record is stored after `next` but has an earlier time than all printed records, as if its transaction
        // had to wait.
        case 2: try await insert("late", 3)
        case 3: try await insert("last", 0)
        default: following.cancel()
        }
        if seen.count == 4 { break }
      }
      _ = await following.result
      #expect(seen == ["newest by=command", "next by=command", "late by=command", "last by=command"])
    }
  }

  @Test("the start and stop of the server are recorded, and so are changes to clients and initial access tokens by commands")
  func commandsAndServer() async throws {
    try await self.withData { path, directory in
      var settings = ServerSettings(issuer: try Issuer("http://localhost:1"))
      (settings.data, settings.port, settings.logLevel) = (path, 0, .critical)
      try await ServerApplication(directory: directory, settings: settings).withRunningServer { _ in
        try await ClientCommand.Add.parse([
          "--data", path, "--client-id", "notes", "--type", "native", "--redirect-uri", "http://127.0.0.1/cb",
        ]).run()
        try await ClientCommand.TokenCommand.Add.parse(["--data", path, "--label", "partners"]).run()
        try await ClientCommand.TokenCommand.Remove.parse(["--data", path, "partners"]).run()
        try await ClientCommand.Remove.parse(["--data", path, "notes"]).run()
      }
      let trail = try await self.lines([], directory).map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
      // The first start of the server adds a signing key for each of the two algorithms.
      #expect(trail.filter { $0.hasPrefix("key-added") }.count == 2 && trail.last?.hasPrefix("server-stopped") == true)
      #expect(
        Set(trail.filter { !$0.hasPrefix("key-added") }) == [
          "server-started subject=http://localhost:1 by=server", "client-added client_id=notes by=command",
          "initial-access-token-added subject=partners by=command", "initial-access-token-removed subject=partners by=command",
          "client-removed client_id=notes by=command", "server-stopped subject=http://localhost:1 by=server",
        ])
    }
  }

  @Test("a value with spaces or control characters is quoted, so that it cannot look like another field or line")
  func quoting() {
    let record = AuditRecord(.initialAccessTokenAdded, subject: "a b\n=\u{1B}", from: .command, at: Timestamp(seconds: 0))
    #expect(
      AuditLine(record, username: nil).text
        == #"1970-01-01T00:00:00.000Z initial-access-token-added subject="a b\n=\u{1B}" by=command"#)
  }
}
