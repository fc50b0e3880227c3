import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var grantCases: [Case] {
    [
      Case("a grant is found as it was inserted") { try await self.findsGrants($0) },
      Case("S-37: a revoked grant stays revoked, with its first reason") { try await self.revokesOnce($0) },
      Case("S-37: all grants of an account are revoked, and nobody else's") { try await self.revokesAll($0) },
      Case("S-37: a revoked grant takes no new code or token, and its own are no longer consumed") {
        try await self.endsWithGrant($0)
      },
    ]
  }

  private static func findsGrants(_ harness: Harness<S>) async throws {
    var bare = GrantRecord.example("bare")
    bare.nonce = nil
    let store = try await harness.openWithGrant()
    try await store.write { [bare] (tx) throws(StoreError) in try tx.insert(bare) }
    let found = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.grant(GrantID(rawValue: "grant")), try snapshot.grant(GrantID(rawValue: "bare"))]
    }
    try expect(found, is: [GrantRecord.example(), bare], "the grants")
    for grant in [GrantRecord.example(), .example("new", account: "nobody"), .example("new", client: "none")] {
      try await expectRefusal(.conflict, "grant \(grant.id.rawValue) of \(grant.account.rawValue) to \(grant.client.rawValue)") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(grant) }
      }
    }
  }

  private static func revokesOnce(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithGrant()
    let id = GrantID(rawValue: "grant")
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.revokeGrant(id, reason: .codeReplayed, at: .start + .seconds(1))
      try tx.revokeGrant(id, reason: .clientRequest, at: .start + .seconds(2))
      try tx.revokeGrants(of: AccountID(rawValue: "account"), reason: .passwordChanged, at: .start + .seconds(3))
      try tx.revokeGrant(GrantID(rawValue: "none"), reason: .clientRequest, at: .start)
      return try tx.grant(id)
    }
    try expect(found?.revokedAt, is: .start + .seconds(1), "when it was revoked")
    try expect(found?.revocationReason, is: .codeReplayed, "why it was revoked")
  }

  private static func revokesAll(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithGrant()
    let reasons = try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      try tx.insert(GrantRecord.example("second"))
      try tx.insert(GrantRecord.example("kept", account: "other"))
      try tx.revokeGrants(of: AccountID(rawValue: "account"), reason: .accountDisabled, at: .start)
      return [
        try tx.grant(GrantID(rawValue: "grant"))?.revocationReason, try tx.grant(GrantID(rawValue: "second"))?.revocationReason,
        try tx.grant(GrantID(rawValue: "kept"))?.revocationReason,
      ]
    }
    try expect(reasons, is: [.accountDisabled, .accountDisabled, nil], "why each was revoked")
  }

  private static func endsWithGrant(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithGrant()
    let id = GrantID(rawValue: "grant")
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AuthorizationCodeRecord.example())
      try tx.insert(RefreshTokenRecord.example(1))
      try agree(
        tx.consumeRefreshToken(.example(1), successor: .example(2), sealedSuccessor: [1], at: .start), "the first is replaced")
      try tx.insert(RefreshTokenRecord.example(2, predecessor: 1))
      try tx.revokeGrant(id, reason: .refreshTokenReused, at: .start)
    }
    try await store.write { (tx) throws(StoreError) in
      try agree(!tx.consumeAuthorizationCode(.example(1), at: .start), "a code of a revoked grant")
      try agree(
        !tx.consumeRefreshToken(.example(2), successor: .example(3), sealedSuccessor: [1], at: .start),
        "a token of a revoked grant")
      try agree(tx.refreshToken(.example(1))?.sealedSuccessor == nil, "the sealed copy went with the grant")
    }
    try await expectRefusal(.conflict, "a new code") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(AuthorizationCodeRecord.example(8)) }
    }
    try await expectRefusal(.conflict, "a new token") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(8)) }
    }
  }
}
