import Dispatch
import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var concurrencyCases: [Case] {
    [
      Case("S-22: only one of 1,000 concurrent redemptions of a code succeeds, over two connections") {
        try await self.redeemsCodesOnce($0)
      },
      Case("S-23: only one of many concurrent refreshes rotates a token, and one valid token remains") {
        try await self.rotatesTokensOnce($0)
      },
      Case("S-37: a refresh that is concurrent with a revocation never leaves a usable token") {
        try await self.revokesDuringRefresh($0)
      },
      Case("only one of many concurrent inserts of the same user name succeeds") { try await self.insertsUsernamesOnce($0) },
      Case("reads do not wait for a slow write") { try await self.readsDuringWrite($0) },
    ]
  }

  private static func redeemsCodesOnce(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.openWithGrant(), try await harness.open())
    try await firstStore.write { (tx) throws(StoreError) in try tx.insert(AuthorizationCodeRecord.example()) }
    let successes = try await concurrentSuccesses(of: 1_000) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        try tx.consumeAuthorizationCode(of: .example, at: .start + .milliseconds(index))
      }
    }
    try expect(successes, is: 1, "successful redemptions")
  }

  /// All callers try to replace the same token, each with a new token that has a different fingerprint. The caller that
  /// succeeds inserts its new token in the same transaction.
  private static func rotatesTokensOnce(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.openWithGrant(), try await harness.open())
    try await firstStore.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(1)) }
    let successes = try await concurrentSuccesses(of: 200) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        try tx.rotate(1, fingerprint: 100 + index)
      }
    }
    try expect(successes, is: 1, "refreshes that rotated the token")
    try await firstStore.read { (snapshot) throws(StoreError) in
      try check(snapshot.token(1)?.consumedAt != nil, "the token must be replaced")
      for index in 0..<200 {
        guard let token = try snapshot.token(2, fingerprint: 100 + index) else { continue }
        return try check(token.consumedAt == nil, "the successor must be valid")
      }
      throw .unavailable(reason: "the successor is missing")
    }
  }

  /// In each round, one task rotates a token up to ten times while another task revokes the grant. Afterward, none of
  /// the tokens can be rotated.
  private static func revokesDuringRefresh(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.openWithGrant(), try await harness.open())
    try await firstStore.write { (tx) throws(StoreError) in
      for round in 0..<40 {
        try tx.insert(GrantRecord.example("g\(round)"))
        // Each round has its own range of token numbers.
        try tx.insert(RefreshTokenRecord.example(1_000 * round + 1_000, grant: "g\(round)"))
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<40 {
        let grant = GrantID(rawValue: "g\(round)")
        group.addTask {
          for step in 0..<10 {
            let base = 1_000 * round + 1_000 + step
            let isRotated = try await firstStore.write { (tx) throws(StoreError) in
              try tx.rotate(base, grant: grant.rawValue)
            }
            if !isRotated { return }
          }
        }
        group.addTask {
          try await secondStore.write { (tx) throws(StoreError) in
            _ = try tx.revokeGrant(grant, reason: .userRequest, at: .start + .seconds(1), tx.recordExample())
          }
        }
      }
      try await group.waitForAll()
    }
    for round in 0..<40 {
      let usableTokens = try await firstStore.write { (tx) throws(StoreError) in
        try check(tx.grant(GrantID(rawValue: "g\(round)"))?.revokedAt != nil, "the grant must be revoked")
        var usable = 0
        for step in 0...10 {
          let token = 1_000 * round + 1_000 + step
          if try tx.rotate(token, grant: "g\(round)") { usable += 1 }
        }
        return usable
      }
      try expect(usableTokens, is: 0, "usable tokens of a revoked grant")
    }
  }

  private static func insertsUsernamesOnce(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.open(), try await harness.open())
    let successes = try await concurrentSuccesses(of: 100) { index in
      do throws(StoreError) {
        try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
          // All of these accounts have the default user name of `example`.
          try tx.insert(AccountRecord.example("a\(index)"))
        }
        return true
      } catch .conflict {
        return false
      }
    }
    try expect(successes, is: 1, "accounts with the same user name")
  }

  /// The write ends only after the reads have finished. If a read waited for the write, this case would never end.
  private static func readsDuringWrite(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let (began, continuation) = AsyncStream.makeStream(of: Void.self)
    let end = DispatchSemaphore(value: 0)
    async let written: Void = store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("b", username: "ben"))
      continuation.finish()
      end.wait()
    }
    for await _ in began {}
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await store.read { (snapshot) throws(StoreError) in try snapshot.accounts(after: nil, limit: 1_000).count }
        }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    end.signal()
    try await written
    try expect(counts, is: [1], "accounts that the reads saw")
  }
}
