import PostgresTestSupport
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportPostgres

@Suite("The removal of expired rows from PostgreSQL", .timeLimit(.minutes(3)))
struct ExpiryTests {
  @Test("the search for unused refresh tokens reads only as many expired tokens as its limit, with an index")
  func limitsSearch() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    try await store.prepareExample(grants: 1)
    try await store.write { (tx) throws(StoreError) in for number in 1...500 { _ = try tx.rotate(Int64(number), of: 0) } }
    let statement = PostgresTransaction.endOfUnusedTokens.replacing("$1", with: "9e15::bigint").replacing("$2", with: "10")
    let plan = try database.query(
      """
      ANALYZE sallyport.refresh_token; SET search_path = sallyport;
      EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(statement)
      """)
    #expect(plan.contains("Index Scan using refresh_token_expiry"), "\(plan)")
    let discarded = plan.matches(of: /Rows Removed by Filter: (\d+)/).compactMap { Int($0.output.1) }
    #expect(discarded.reduce(0, +) <= 10, "\(plan)")
  }

  @Test("expired refresh tokens that have not been removed are counted")
  func countsRefreshTokens() async throws {
    let database = try TestDatabase()
    defer { database.close() }
    let store = try database.open()
    try await store.prepareExample(grants: 3)
    let (first, last) = (Timestamp.example + .seconds(3_600), Timestamp.example + .seconds(3_601))
    #expect(try await store.countExpired(before: first) == 0)
    #expect(try await store.countExpired(before: last) == 3)
  }
}
