import SallyportProtocol
import SallyportServer

/// Opens the database of one case, and inserts the records that most cases need.
struct Harness: Sendable {
  /// The name of the database.
  let name: String
  private let opening: StoreConformance.Opening

  init(open: @escaping StoreConformance.Opening) {
    self.name = "conformance-\(UInt64.random(in: 0 ... .max))"
    self.opening = open
  }

  /// Opens the database. Each call opens another connection.
  func open() async throws -> any Store {
    try await self.opening(self.name)
  }

  /// Opens the database and inserts an account, a client, and a grant.
  func openWithGrant(_ grant: GrantRecord = .example()) async throws -> any Store {
    let store = try await self.openWithClient()
    try await store.write { (tx) throws(StoreError) in try tx.insert(grant) }
    return store
  }

  /// Opens the database and inserts an account and a client.
  func openWithClient() async throws -> any Store {
    let store = try await self.open()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example())
      try tx.insert(ClientRecord.example())
    }
    return store
  }
}

/// Runs `count` copies of `operation` concurrently. Each copy receives its index, from 0 to `count - 1`.
/// - Returns: The number of copies that returned true.
func concurrentSuccesses(of count: Int, _ operation: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
  try await withThrowingTaskGroup(of: Bool.self) { group in
    for index in 0..<count {
      group.addTask { try await operation(index) }
    }
    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
}
