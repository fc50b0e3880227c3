import SallyportProtocol
import SallyportServer

/// One database of a case, and the rows that most cases need.
struct Harness: Sendable {
  let name: String
  private let opening: StoreConformance.Opening

  init(open: @escaping StoreConformance.Opening) {
    self.name = "conformance-\(UInt64.random(in: 0 ... .max))"
    self.opening = open
  }

  /// Opens the case's database, each time anew.
  func open() async throws -> any Store {
    try await self.opening(self.name)
  }

  /// The database with an account, a client and a grant between them.
  func openWithGrant(_ grant: GrantRecord = .example()) async throws -> any Store {
    let store = try await self.openWithClient()
    try await store.write { (tx) throws(StoreError) in try tx.insert(grant) }
    return store
  }

  /// The database with an account and a client.
  func openWithClient() async throws -> any Store {
    let store = try await self.open()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example())
      try tx.insert(ClientRecord.example())
    }
    return store
  }
}

/// Runs `count` copies of `operation` at once.
/// - Returns: how many returned true.
func race(_ count: Int, _ operation: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
  try await withThrowingTaskGroup(of: Bool.self) { group in
    for index in 0..<count {
      group.addTask { try await operation(index) }
    }
    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
}
