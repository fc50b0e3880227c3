import SallyportSQLite
import SallyportStoreTesting
import Testing

@Suite("The SQLite store keeps the rules of every store", .timeLimit(.minutes(3)))
struct ConformanceTests {
  @Test("a rule of the suite", arguments: StoreConformance.cases)
  func conforms(to rule: StoreConformance.Case) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try await rule.run { name in try SQLiteStore(path: "\(directory.path)/\(name).sqlite") }
  }
}
