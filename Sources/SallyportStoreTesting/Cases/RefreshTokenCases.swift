import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var refreshTokenCases: [Case] {
    [
      Case("S-23: a token is found as it was inserted, also when it was replaced") { try await self.findsTokens($0) },
      Case("S-23: a token is replaced once, and knows its successor") { try await self.replacesOnce($0) },
      Case("S-23: a grant has one live token") { try await self.keepsOneLive($0) },
      Case("S-23: the sealed copy of a successor is forgotten, the link stays") { try await self.forgetsCopies($0) },
    ]
  }

  private static func findsTokens(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let token = RefreshTokenRecord.example(2, predecessor: 1)
    try await store.write { (tx) throws(StoreError) in try tx.insert(token) }
    let found = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.refreshToken(.example(2)), try snapshot.refreshToken(.example(3))]
    }
    try expect(found, is: [Granted(token, grant: .example(), account: try .example()), nil], "the token with what it stands for")
    try await expectRefusal(.conflict, "a grant that is not there") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(3, grant: "none")) }
    }
  }

  private static func replacesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(1)) }
    let won = try await store.write { (tx) throws(StoreError) in
      [
        try tx.consumeRefreshToken(.example(1), successor: .example(2), sealedSuccessor: [0, 255], at: .start),
        try tx.consumeRefreshToken(.example(1), successor: .example(3), sealedSuccessor: [3], at: .start + .seconds(1)),
        try tx.consumeRefreshToken(.example(9), successor: .example(3), sealedSuccessor: [3], at: .start),
      ]
    }
    try expect(won, is: [true, false, false], "first, second, unknown")
    var expected = RefreshTokenRecord.example(1)
    (expected.consumedAt, expected.successor, expected.sealedSuccessor) = (.start, .example(2), [0, 255])
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.token(1) }
    try expect(found, is: expected, "the replaced token")
  }

  private static func keepsOneLive(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(1)) }
    try await expectRefusal(.conflict, "a second live token") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(2)) }
    }
    try await store.write { (tx) throws(StoreError) in
      try agree(
        tx.consumeRefreshToken(.example(1), successor: .example(2), sealedSuccessor: [1], at: .start), "the first is replaced")
      try tx.insert(RefreshTokenRecord.example(2, predecessor: 1))
    }
    try await expectRefusal(.conflict, "a fingerprint that is known") {
      try await store.write { (tx) throws(StoreError) in
        try agree(
          tx.consumeRefreshToken(.example(2), successor: .example(1), sealedSuccessor: [1], at: .start), "the second is replaced")
        try tx.insert(RefreshTokenRecord.example(1, predecessor: 2))
      }
    }
    let live = try await store.read { (snapshot) throws(StoreError) in try snapshot.token(2) }
    try expect(live, is: .example(2, predecessor: 1), "the live token after the refusal")
  }

  private static func forgetsCopies(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.insert(RefreshTokenRecord.example(1))
      _ = try tx.consumeRefreshToken(.example(1), successor: .example(2), sealedSuccessor: [1], at: .start)
      try tx.forgetSealedSuccessor(of: .example(1))
      try tx.forgetSealedSuccessor(of: .example(9))
      return try tx.token(1)
    }
    var expected = RefreshTokenRecord.example(1)
    (expected.consumedAt, expected.successor) = (.start, .example(2))
    try expect(found, is: expected, "the replaced token")
  }
}
