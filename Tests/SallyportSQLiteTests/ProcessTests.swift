import Foundation
import GRDB
import SallyportProtocol
import SallyportServer
import Synchronization
import Testing

@testable import SallyportSQLite

@Suite("Several stores with one file", .timeLimit(.minutes(3)))
struct ProcessTests {
  final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  @Test("several stores can create and open a new file at the same time")
  func openingTogether() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for round in 0..<5 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            let store = try SQLiteStore(path: "\(directory.path)/\(round).sqlite")
            let isFirst = try await store.write { (tx) throws(StoreError) in
              try tx.consumeInteraction("\(index)", expires: .now())
            }
            #expect(isFirst)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// SQLite does not grant its lock in the order of the requests. A store tries again after short pauses, 1.5 ms on
  /// average. With long pauses, a store might never get the lock next to one that writes continuously.
  @Test("a store can write next to one that writes continuously")
  func fairness() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let (busy, other) = (try SQLiteStore(path: path), try SQLiteStore(path: path))
    let end = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          var index = 0
          while !end.isSet.load(ordering: .relaxed) {
            index += 1
            let id = "\(worker)-\(index)"
            _ = try await busy.write { (tx) throws(StoreError) in try tx.consumeInteraction(id, expires: .now()) }
          }
        }
      }
      for index in 0..<20 {
        let isFirst = try await other.write { (tx) throws(StoreError) in try tx.consumeInteraction("\(index)", expires: .now()) }
        #expect(isFirst)
      }
      end.isSet.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
  }

  /// After the process is killed, all acknowledged tokens exist, and each grant has one unused refresh token.
  @Test("a process that is killed while it writes loses nothing that it acknowledged", arguments: 0..<6)
  func kill(round: Int) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    try await self.prepare(path)
    for lines in [1, 300, Int.random(in: 2...2_000)] {
      let acknowledged = try self.runProbe(path, killAfter: lines)
      #expect(!acknowledged.isEmpty)
      let store = try SQLiteStore(path: path)
      let tokens = try store.pool.read { db in
        #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
        return try Row.fetchAll(
          db, sql: "SELECT grant_id, count(*), count(*) FILTER (WHERE consumed_at IS NULL) FROM refresh_token GROUP BY grant_id")
      }
      for row in tokens {
        let family: String = row[0]
        #expect(row[2] == 1, "\(family) must have one unused token")
        // Numbers begin with zero, and each rotation adds one row.
        #expect((row[1] as Int) > acknowledged[family, default: 0], "\(family) has lost an acknowledged token")
      }
    }
  }

  private func prepare(_ path: String) async throws {
    let store = try SQLiteStore(path: path)
    try await store.pool.write { db in
      try db.execute(
        sql: """
          INSERT INTO account VALUES ('a', 'ada', '$', 0, NULL, NULL, 0, NULL);
          INSERT INTO client VALUES ('c', 'Notes', 'public', 'native', 'operator', 'openid', 'ES256', 'none', NULL, NULL, NULL, '', 0,
            NULL, '{}', 0);
          """)
      for family in 0..<8 {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: (family << 32) >> (8 * ($0 % 5))) }
        try db.execute(
          sql:
            "INSERT INTO oauth_grant VALUES (?, 'c', 'a', 'openid', NULL, 0, 0, 100, NULL, NULL, NULL, '', NULL, NULL, NULL, '', NULL)",
          arguments: ["family-\(family)"])
        try db.execute(
          sql: "INSERT INTO refresh_token VALUES (?, 0, ?, 0, 60, NULL, NULL)", arguments: ["family-\(family)", Data(bytes)])
      }
    }
    try store.close()
  }

  /// Runs `StoreCrashProbe`, and kills it after this number of acknowledged rotations.
  /// - Returns: The highest number that was acknowledged for each grant.
  private func runProbe(_ path: String, killAfter lines: Int) throws -> [String: Int] {
    let process = Process()
    let output = Pipe()
    process.executableURL = try Self.probe()
    process.arguments = [path]
    process.standardOutput = output
    try process.run()
    var read = Data()
    while read.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
      let chunk = output.fileHandleForReading.availableData
      if chunk.isEmpty { break }
      read.append(chunk)
    }
    Foundation.kill(process.processIdentifier, SIGKILL)
    read.append(try output.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    // `fatalError` in the probe also ends it with a signal, but not with SIGKILL.
    #expect(
      process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL, "the probe exited on its own")
    var highest: [String: Int] = [:]
    for line in String(decoding: read, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: " ").compactMap { Int($0) }
      guard fields.count == 2 else { continue }
      highest["family-\(fields[0])", default: 0] = max(highest["family-\(fields[0])", default: 0], fields[1])
    }
    return highest
  }

  private static func probe() throws -> URL {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: tests).deletingLastPathComponent().appending(path: "StoreCrashProbe")
  }
}
