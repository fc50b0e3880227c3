import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var transactionCases: [Case] {
    [
      Case("an empty store finds nothing") { try await self.findsNothingInEmptyStore($0) },
      Case("a transaction sees its own writes, and later reads see them as soon as the call has returned") {
        try await self.readsOwnWrites($0)
      },
      Case("a transaction whose body throws changes nothing, and the caller receives the error") {
        try await self.rollsBackFailedBodies($0)
      },
      Case("a transaction whose body throws does not affect concurrent transactions") {
        try await self.keepsConcurrentWrites($0)
      },
      Case("a transaction can continue after a conflict and commit its other writes") {
        try await self.continuesAfterConflict($0)
      },
      Case("a snapshot does not change during a read") { try await self.isolatesSnapshots($0) },
      Case("committed data is found after the database is opened again") { try await self.keepsDataAfterReopening($0) },
      Case("two connections to a database see each other's writes") { try await self.sharesDataBetweenConnections($0) },
    ]
  }

  private static func findsNothingInEmptyStore(_ harness: Harness) async throws {
    let store = try await harness.open()
    try await store.read { (snapshot) throws(StoreError) in
      try check(snapshot.account(AccountID(rawValue: "account")) == nil, "there must be no account")
      try check(snapshot.account(named: AccountRecord.example().username) == nil, "there must be no account")
      try check(snapshot.accounts(after: nil, limit: 1_000).isEmpty, "the list must be empty")
      try check(snapshot.clients().isEmpty, "the list must be empty")
      try check(snapshot.signingKeys().isEmpty, "the list must be empty")
      try check(snapshot.client(ClientID(rawValue: "client")) == nil, "there must be no client")
      try check(snapshot.browserSession(.example(1)) == nil, "there must be no session")
      try check(snapshot.grant(GrantID(rawValue: "grant")) == nil, "there must be no grant")
      try check(snapshot.code() == nil, "there must be no code")
      try check(snapshot.token(1) == nil, "there must be no token")
    }
    try await expect(store.removeExpired(before: .start, limit: 10), is: 0, "rows removed from an empty store")
  }

  private static func readsOwnWrites(_ harness: Harness) async throws {
    let store = try await harness.open()
    let account = try AccountRecord.example()
    let inside = try await store.write { (tx) throws(StoreError) in
      try tx.insert(account)
      return try tx.account(account.id)
    }
    try expect(inside, is: account, "the row that the body reads")
    let outside = try await store.read { (snapshot) throws(StoreError) in try snapshot.account(account.id) }
    try expect(outside, is: account, "the row that a later read finds")
  }

  private static func rollsBackFailedBodies(_ harness: Harness) async throws {
    let store = try await harness.open()
    let version = try await store.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    try await expectError(.rolledBack, "the body's own error") {
      try await store.write { (tx) throws(StoreError) in
        try tx.insert(AccountRecord.example())
        try tx.insert(ClientRecord.example())
        throw .rolledBack
      }
    }
    try await store.read { (snapshot) throws(StoreError) in
      try check(snapshot.accounts(after: nil, limit: 1_000).isEmpty, "nothing must be written")
      try check(snapshot.clients().isEmpty, "nothing must be written")
      try check(snapshot.configurationVersion() == version, "the version must not change")
    }
  }

  /// Runs many transactions at once, so that a store that groups commits puts several of them into one commit.
  private static func keepsConcurrentWrites(_ harness: Harness) async throws {
    let store = try await harness.open()
    let successes = try await concurrentSuccesses(of: 300) { index in
      do throws(StoreError) {
        try await store.write { (tx) throws(StoreError) in
          try tx.insert(AccountRecord.example("a\(index)", username: "user\(index)"))
          if index.isMultiple(of: 3) { throw .rolledBack }
          guard try tx.account(AccountID(rawValue: "a\(index)")) != nil else {
            throw .unavailable(reason: "the failure of another body undid this write")
          }
        }
        return true
      } catch .rolledBack {
        return false
      }
    }
    try expect(successes, is: 200, "bodies that returned")
    let names = try await store.read { (snapshot) throws(StoreError) in
      try snapshot.accounts(after: nil, limit: 1_000).map(\.id.rawValue)
    }
    try expect(
      Set(names), is: Set((0..<300).filter { !$0.isMultiple(of: 3) }.map { "a\($0)" }), "the rows of the bodies that returned")
  }

  private static func continuesAfterConflict(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let caught = try await store.write { (tx) throws(StoreError) in
      var caught: StoreError?
      try tx.insert(SigningKeyRecord.example("before"))
      do throws(StoreError) { try tx.insert(AccountRecord.example("other")) } catch { caught = error }
      try tx.insert(SigningKeyRecord.example("key"))
      return caught
    }
    try expect(caught, is: .conflict, "the error of the conflicting insert")
    let keys = try await store.read { (snapshot) throws(StoreError) in try snapshot.signingKeys().map(\.id) }
    try expect(Set(keys), is: ["before", "key"], "rows before and after the conflict")
  }

  private static func isolatesSnapshots(_ harness: Harness) async throws {
    let store = try await harness.open()
    let writers = Task {
      for index in 0..<100 {
        try await store.write { (tx) throws(StoreError) in
          try tx.insert(AccountRecord.example("a\(index)", username: "user-a\(index)"))
          try tx.insert(AccountRecord.example("b\(index)", username: "user-b\(index)"))
        }
      }
    }
    let inconsistentReads = try await concurrentSuccesses(of: 100) { _ in
      try await store.read { (snapshot) throws(StoreError) in
        let first = try snapshot.accounts(after: nil, limit: 1_000).count
        let second = try snapshot.accounts(after: nil, limit: 1_000).count
        return first != second || !first.isMultiple(of: 2)
      }
    }
    try await writers.value
    try expect(inconsistentReads, is: 0, "reads that saw an incomplete transaction or two different states")
  }

  private static func keepsDataAfterReopening(_ harness: Harness) async throws {
    let version = try await Self.writeExamples(harness)
    let store = try await harness.open()
    try await store.read { (snapshot) throws(StoreError) in
      try check(snapshot.accounts(after: nil, limit: 1_000) == [AccountRecord.example()], "the account must be found unchanged")
      try check(snapshot.clients() == [ClientRecord.example()], "the client must be found unchanged")
      try check(snapshot.grant(GrantID(rawValue: "grant")) == GrantRecord.example(), "the grant must be found unchanged")
      try check(snapshot.configurationVersion() == version, "the version must not change")
    }
  }

  /// Inserts the examples with a store that is not used afterward.
  /// - Returns: The configuration version.
  private static func writeExamples(_ harness: Harness) async throws -> Int64 {
    try await harness.openWithGrant().read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
  }

  private static func sharesDataBetweenConnections(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.openWithGrant(), try await harness.open())
    try await secondStore.write { (tx) throws(StoreError) in try tx.insert(AuthorizationCodeRecord.example()) }
    let isConsumed = try await firstStore.write { (tx) throws(StoreError) in
      try tx.consumeAuthorizationCode(of: .example, at: .start)
    }
    try expect(isConsumed, "one connection must consume what the other inserted")
    let code = try await secondStore.read { (snapshot) throws(StoreError) in try snapshot.code() }
    try expect(code?.consumedAt, is: .start, "when the code was consumed, as the other connection sees it")
  }
}
