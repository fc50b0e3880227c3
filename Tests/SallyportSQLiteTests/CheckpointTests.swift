import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Checkpoints while the writer continues", .timeLimit(.minutes(3)))
struct CheckpointTests {
  private static let expiry = Timestamp.now() + .seconds(86_400)

  /// Inserts 40 rows at random positions of a table and its index, so that the transaction changes many pages.
  private static func write(to store: SQLiteStore) async throws {
    try await store.write { (tx) throws(StoreError) in
      for _ in 0..<40 {
        let fingerprint = Fingerprint(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
        _ = try tx.consumeIdentifier(fingerprint, expires: Self.expiry + .milliseconds(Int64.random(in: 0...1_000_000_000)))
      }
    }
  }

  /// The length of a file in pages.
  private static func length(_ path: String) throws -> Int {
    (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) / 4096
  }

  @Test("committed pages are copied to the database file without further writes")
  func copiesPages() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let store = try SQLiteStore(path: path)
    // This writes about 2,400 pages to the log. The store lets SQLite's automatic checkpoints begin at 4,000 pages, so
    // these checkpoints would leave all pages in the log.
    for _ in 0..<80 { try await Self.write(to: store) }
    let deadline = ContinuousClock.now + .seconds(60)
    while try Self.length(path) < 100, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try Self.length(path) >= 100, "nothing was copied from the log into the file")
  }

  @Test("the write-ahead log restarts under continuous writes")
  func logRestarts() async throws {
    var lengths: [Int] = []
    // With automatic checkpoints only, the log would always grow to 4,000 pages. With the store's own checkpoints, the
    // log can grow that long only while the machine is so busy that the thread for checkpoints does not run.
    while lengths.count < 5, lengths.allSatisfy({ $0 >= 3_500 }) { lengths.append(try await Self.logLength()) }
    #expect(lengths.contains { $0 < 3_500 })
  }

  /// The length of the write-ahead log after continuous writes, in pages.
  private static func logLength() async throws -> Int {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let store = try SQLiteStore(path: path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { for _ in 0..<200 { try await Self.write(to: store) } } }
      try await group.waitForAll()
    }
    return try Self.length("\(path)-wal")
  }
}
