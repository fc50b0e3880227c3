import PostgresTestSupport
import SallyportServer
import Testing

@testable import SallyportPostgres

@Suite("Promotion of a standby", .serialized, .timeLimit(.minutes(3)))
struct PromotionTests {
  @Test(
    """
    a store that was connected to a former primary, which still accepts writes, uses the promoted server within seconds, and \
    does not return to the former primary if the promoted server fails
    """)
  func leavesFormerPrimary() async throws {
    let former = try PostgresCluster(settings: PostgresCluster.archiving)
    try former.makeDatabase("sallyport")
    let setup = PostgresStore(try PostgresAddress(former.url("sallyport")), limits: .patient)
    defer { setup.close() }
    try await FailureTests.insert(1, in: setup)
    try former.makeBaseBackup()
    let time = try former.query("SELECT clock_timestamp()")
    try await FailureTests.insert(2, in: setup)
    try former.waitForArchive()
    // Recovery up to a point in time ends with a promotion.
    let promoted = try PostgresCluster(restoring: former, until: time)

    let address = try PostgresAddress("postgres://postgres@/sallyport?host=\(former.folder),\(promoted.folder)")
    let store = PostgresStore(address)
    defer { store.close() }
    try await FailureTests.retrying { try await store.connect() }
    #expect(try await Self.folder(store) == former.folder)
    // The first use of this property starts the threads that watch the hosts.
    _ = store.watchedConfigurationVersion
    try await FailureTests.retrying {
      let folder = try await Self.folder(store)
      guard folder == promoted.folder else { throw StoreError.unavailable(reason: "the store uses \(folder ?? "no server")") }
    }
    try await FailureTests.retrying { try await FailureTests.insert(3, in: store) }

    let stopped = try promoted.freeze()
    defer { promoted.resume(stopped) }
    for _ in 0..<3 {
      await #expect(throws: StoreError.self) { try await FailureTests.insert(4, in: store) }
      await #expect(throws: StoreError.self) { try await Self.folder(store) }
    }
    // Only the rows 1 and 2: after the promotion, the store wrote nothing to the former primary.
    #expect(try former.query("SELECT count(*) FROM sallyport.used_identifier", in: "sallyport") == "2")
  }

  @Test(
    "a timeline is a former one only if another server of the same system has a greater timeline number",
    arguments: [(1, 1, 2, true), (1, 2, 2, false), (1, 3, 2, false), (9, 1, 2, false)])
  func formerTimelines(system: Int64, number: Int64, other: Int64, isFormer: Bool) {
    #expect(Timeline(system: system, number: number).isFormer(after: Timeline(system: 1, number: other)) == isFormer)
  }

  /// The folder of the server's socket, which identifies the server.
  private static func folder(_ store: PostgresStore) async throws(StoreError) -> String? {
    try await store.inspect { (snapshot) throws(StoreError) in
      try snapshot.row("SELECT current_setting('unix_socket_directories')") { (row) throws(StoreError) in try row[0] as String }
    }
  }
}
