import Foundation
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Kills `StoreCrashProbe`, a process that rotates refresh tokens. It acknowledges each committed rotation with a line
/// that contains the number of the grant (`family` in the code) and the number of the new token.
@Suite("A process that is killed while it writes", .serialized, .timeLimit(.minutes(3)))
struct StoreKillTests {
  /// After the process is killed, all acknowledged tokens exist, and each grant has one unused refresh token.
  @Test(
    "if a process is killed while it writes, nothing that it acknowledged is lost", arguments: 0..<3, TestDatabase.Kind.allCases)
  func kill(round: Int, database kind: TestDatabase.Kind) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try TestDatabase(kind, in: folder)
    try await Self.prepare(database)
    for lines in [1, 300, Int.random(in: 2...2_000)] {
      let acknowledged = try Self.runProbe(database, killAfter: lines)
      #expect(!acknowledged.isEmpty)
      // With SQLite, opening the database recovers the write-ahead log.
      let store = try database.open()
      defer { try? TestDatabase.close(store) }
      #expect(try database.isIntact())
      let grants = try database.query(
        "SELECT grant_id, count(*), count(*) FILTER (WHERE consumed_at IS NULL) FROM refresh_token GROUP BY grant_id")
      #expect(grants.count == 8)
      for row in grants {
        #expect(row[2] == "1", "\(row[0]) must have one unused token")
        // Numbers begin with zero, and each rotation adds one row.
        #expect(try #require(Int(row[1])) > acknowledged[row[0], default: 0], "\(row[0]) has lost an acknowledged token")
      }
    }
  }

  private static func prepare(_ database: TestDatabase) async throws {
    let store = try database.open()
    let (now, client) = (Timestamp.now(), try TestClient.loopback.record)
    let account = AccountRecord(
      id: AccountID(rawValue: "acct-ada"), username: try #require(Username("ada")), passwordHash: "-", passwordChangedAt: now,
      createdAt: now)
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(client)
      try tx.insert(account)
      for family in 0..<8 {
        let grant = GrantID(rawValue: "family-\(family)")
        try tx.insert(
          GrantRecord(
            id: grant, client: client.id, account: account.id, scope: "openid", authenticatedAt: now, createdAt: now,
            expiresAt: now + .seconds(86_400)))
        // The probe computes the fingerprints of its tokens in the same way. This token has the number 0.
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: (family << 32) >> (8 * ($0 % 5))) }
        try tx.insert(
          RefreshTokenRecord(
            id: RefreshTokenID(grant: grant, number: 0), fingerprint: Fingerprint(bytes: bytes), issuedAt: now,
            expiresAt: now + .seconds(3_600)))
      }
    }
    try TestDatabase.close(store)
  }

  /// Runs `StoreCrashProbe`, and kills it after this number of acknowledged rotations.
  /// - Returns: The highest number that was acknowledged for each grant.
  private static func runProbe(_ database: TestDatabase, killAfter lines: Int) throws -> [String: Int] {
    let process = Process()
    let output = Pipe()
    process.executableURL = try Probe.program("StoreCrashProbe")
    process.arguments = [database.location]
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
}
