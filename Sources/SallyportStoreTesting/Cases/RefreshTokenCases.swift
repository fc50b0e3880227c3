import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var refreshTokenCases: [Case] {
    [
      Case("S-23: a token is found only by its fingerprint together with its identifier") {
        try await self.findsTokens($0)
      },
      Case("S-23: a token that an older version issued without an identifier is found by its fingerprint, and replaced") {
        try await self.findsTokensWithoutIdentifier($0)
      },
      Case("S-23: a token is replaced only once, and keeps its sealed successor") { try await self.replacesTokensOnce($0) },
      Case("S-23: a grant has only one valid token, and only the successor of that token can be added") {
        try await self.keepsOneValidToken($0)
      },
      Case("S-23: a sealed successor can be deleted, and the replaced token remains") {
        try await self.deletesSealedSuccessors($0)
      },
    ]
  }

  private static func findsTokens(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let token = RefreshTokenRecord.example(2)
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(GrantRecord.example("other"))
      try tx.insert(token)
    }
    // The arguments are a fingerprint and an identifier. Only the first call passes both values of the stored token.
    let found = try await store.read { (snapshot) throws(StoreError) in
      [
        try snapshot.refreshToken(.example(2), .example(2)), try snapshot.refreshToken(.example(3), .example(2)),
        try snapshot.refreshToken(.example(2), .example(3)), try snapshot.refreshToken(.example(2), .example(2, grant: "other")),
        try snapshot.refreshToken(.example(2), nil),
      ]
    }
    let expected = GrantedCredential(token, grant: .example(), account: try .example())
    try expect(
      found, is: [expected, nil, nil, nil, nil],
      "the token with its grant and account, and nothing for a different fingerprint, or for a different or missing identifier")
    try await expectError(.conflict, "a token of an unknown grant") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(3, grant: "none")) }
    }
  }

  /// Tokens that an older version issued without an identifier have numbers below 1. The tokens -1 and 0 are the last
  /// two of them.
  private static func findsTokensWithoutIdentifier(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.insert(RefreshTokenRecord.example(-1, fingerprint: 8))
      // The tokens -1, 0, and 1 have the fingerprints 8, 7, and 1.
      try check(tx.rotate(-1, fingerprint: 7), "the token -1 must be replaced by the token 0")
      try check(tx.rotate(0), "the token 0 must be replaced by the token 1")
      return try [8, 7, 1].map { (fingerprint: Int) throws(StoreError) -> Int64? in
        try tx.refreshToken(.example(fingerprint), nil)?.credential.id.number
      }
    }
    try expect(found, is: [-1, 0, nil], "the numbers of the tokens that are found by their fingerprint alone")
  }

  private static func replacesTokensOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(1)) }
    let results = try await store.write { (tx) throws(StoreError) in
      [
        try tx.consumeRefreshToken(.example(1), sealedSuccessor: [0, 255], at: .start),
        try tx.consumeRefreshToken(.example(1), sealedSuccessor: [3], at: .start + .seconds(1)),
        try tx.consumeRefreshToken(.example(9), sealedSuccessor: [3], at: .start),
      ]
    }
    try expect(results, is: [true, false, false], "results of the first call, the second call, and a call for an unknown token")
    var expected = RefreshTokenRecord.example(1)
    (expected.consumedAt, expected.sealedSuccessor) = (.start, [0, 255])
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.token(1) }
    try expect(found, is: expected, "the replaced token")
  }

  private static func keepsOneValidToken(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(1)) }
    try await expectError(.conflict, "a second valid token") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(2)) }
    }
    // Only token 2 is the successor of token 1.
    for number in [1, 0, 3] {
      try await expectError(.conflict, "a token that is not the successor") {
        try await store.write { (tx) throws(StoreError) in
          try check(tx.consumeRefreshToken(.example(1), sealedSuccessor: [1], at: .start), "the first token must be replaced")
          try tx.insert(RefreshTokenRecord.example(number, fingerprint: 50))
        }
      }
    }
    let live = try await store.write { (tx) throws(StoreError) in
      try check(tx.rotate(1), "the first token must be replaced")
      return try tx.token(2)
    }
    try expect(live, is: .example(2), "the valid token after the errors")
  }

  private static func deletesSealedSuccessors(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.insert(RefreshTokenRecord.example(1))
      _ = try tx.rotate(1)
      try tx.forgetSealedSuccessor(of: .example(1))
      // A token that does not exist causes no error.
      try tx.forgetSealedSuccessor(of: .example(9))
      return try tx.token(1)
    }
    var expected = RefreshTokenRecord.example(1)
    expected.consumedAt = .start
    try expect(found, is: expected, "the replaced token")
  }
}
