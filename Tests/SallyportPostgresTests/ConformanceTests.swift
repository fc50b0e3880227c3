import PostgresTestSupport
import SallyportPostgres
import SallyportStoreTesting
import Testing

@Suite("Conformance of the PostgreSQL store", .serialized, .timeLimit(.minutes(5)))
struct ConformanceTests {
  @Test("the store passes each case of the conformance suite", arguments: StoreConformance.cases)
  func conforms(to testCase: StoreConformance.Case) async throws {
    let database = try TestDatabase()
    defer { database.close() }
    try await testCase.run { name in try database.open() }
  }
}
