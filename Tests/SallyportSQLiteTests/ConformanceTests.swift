import SallyportSQLite
import SallyportStoreTesting
import Testing

@Suite("Conformance of the SQLite store", .timeLimit(.minutes(3)))
struct ConformanceTests {
  @Test("the store passes each case of the conformance suite", arguments: StoreConformance.cases)
  func conforms(to testCase: StoreConformance.Case) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try await testCase.run { name in try SQLiteStore(path: "\(directory.path)/\(name).sqlite") }
  }
}
