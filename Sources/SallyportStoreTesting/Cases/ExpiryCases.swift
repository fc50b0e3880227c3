import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var expiryCases: [Case] {
    [
      Case("expired rows are removed, and all other rows remain") { try await self.removesExpiredRows($0) },
      Case("S-22, S-23: consumed codes and tokens of a valid grant remain, so that a replay is detected") {
        try await self.keepsConsumedRows($0)
      },
      Case("a grant is removed after its unredeemed code or its refresh token has expired, or after its revocation") {
        try await self.removesGrants($0)
      },
      Case("each removal step respects its limit, and its result shows whether more rows may remain") {
        try await self.respectsLimit($0)
      },
    ]
  }

  private static func removeAll(_ store: any Store, before now: Timestamp, limit: Int = 1_000) async throws -> Int {
    var total = 0
    while true {
      let removed = try await store.removeExpired(before: now, limit: limit)
      total += removed
      try expect(removed <= limit, "\(removed) removed at a limit of \(limit)")
      if removed < limit { return total }
    }
  }

  private static func removesExpiredRows(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let now = Timestamp.start + .seconds(100)
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(BrowserSessionRecord.example(1, expiresAt: now - .milliseconds(1)))
      try tx.insert(BrowserSessionRecord.example(2, expiresAt: now))
      try tx.insert(BrowserSessionRecord.example(3))
      _ = try tx.endBrowserSession(.example(3), at: now - .seconds(1), tx.recordExample())
      try tx.insert(ClientRecord.example("other"))
      try tx.put(SessionClientRecord.example(expiresAt: now - .milliseconds(1)))
      try tx.put(SessionClientRecord.example(client: "other", expiresAt: now))
      try tx.insert(LogoutDeliveryRecord.example(1, expiresAt: now - .milliseconds(1)))
      try tx.insert(LogoutDeliveryRecord.example(2, expiresAt: now))
      _ = try tx.consumeInteraction("over", expires: now - .milliseconds(1))
      _ = try tx.consumeInteraction("open", expires: now)
      for (id, removed) in [("gone", now - .milliseconds(1)), ("published", now)] {
        try tx.insert(SigningKeyRecord.example(id))
        _ = try tx.retireSigningKey(id, at: .start, removedAt: removed, tx.recordExample())
      }
      try tx.insert(SigningKeyRecord.example("signing"))
    }
    let version = try await store.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    // The sessions 1 and 3, the session client "client", the interaction "over", and the key "gone".
    try await expect(self.removeAll(store, before: now), is: 5, "rows removed")
    try await store.write { (tx) throws(StoreError) in
      try check(tx.browserSession(.example(1)) == nil, "expired sessions must be removed")
      try check(tx.browserSession(.example(3)) == nil, "ended sessions must be removed")
      try check(tx.browserSession(.example(2)) != nil, "a valid session must remain")
      try check(
        tx.sessionClients(ofSession: "session").map(\.client.rawValue) == ["other"],
        "only the session client that has not expired must remain")
      try check(
        tx.logoutDeliveries().map(\.id) == ["delivery 1", "delivery 2"],
        "deliveries must remain, even expired ones, because the caller records that they were not sent")
      // An interaction can be consumed again only if its row was removed.
      try check(tx.consumeInteraction("over", expires: now), "an expired interaction must be removed")
      try check(!tx.consumeInteraction("open", expires: now), "an interaction that has not expired must remain")
      try check(
        Set(tx.signingKeys().map(\.id)) == ["published", "signing"], "a key whose removal time has passed must be deleted")
      try check(tx.configurationVersion() > version, "removing a key must increment the version")
      try check(tx.grant(GrantID(rawValue: "grant")) != nil, "the valid grant must remain")
    }
  }

  private static func keepsConsumedRows(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AuthorizationCodeRecord.example(1))
      _ = try tx.consumeAuthorizationCode(of: .example, at: .start)
      try tx.insert(RefreshTokenRecord.example(1, expiresAt: .start + .seconds(5_000)))
      try check(tx.rotate(1), "the token must be replaced")
    }
    try await expect(self.removeAll(store, before: .start + .seconds(3_600)), is: 0, "rows removed before the tokens expire")
    try await store.read { (snapshot) throws(StoreError) in
      try check(snapshot.code()?.consumedAt == .start, "the consumed code must be found")
      try check(snapshot.token(1)?.consumedAt == .start, "the replaced token must be found")
      try check(snapshot.token(2) != nil, "the valid token must be found")
    }
    // The grant, its code, and its two refresh tokens.
    try await expect(self.removeAll(store, before: .start + .seconds(90_000)), is: 4, "rows removed after the grant has expired")
  }

  private static func removesGrants(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      for id in ["abandoned", "idle", "revoked", "redeemed", "live"] { try tx.insert(GrantRecord.example(id)) }
      try tx.insert(AuthorizationCodeRecord.example(1, grant: "abandoned"))
      try tx.insert(AuthorizationCodeRecord.example(2, grant: "idle"))
      _ = try tx.consumeAuthorizationCode(of: GrantID(rawValue: "idle"), at: .start)
      try tx.insert(RefreshTokenRecord.example(2, grant: "idle", expiresAt: .start + .seconds(60)))
      try tx.insert(RefreshTokenRecord.example(3, grant: "revoked"))
      try tx.revokeGrant(GrantID(rawValue: "revoked"), reason: .clientRequest, at: .start, tx.recordExample())
      try tx.insert(AuthorizationCodeRecord.example(4, grant: "redeemed"))
      _ = try tx.consumeAuthorizationCode(of: GrantID(rawValue: "redeemed"), at: .start)
      try tx.insert(RefreshTokenRecord.example(5, grant: "live"))
    }
    // The grants "abandoned", "idle", and "revoked", with two codes and two tokens.
    try await expect(self.removeAll(store, before: .start + .seconds(61), limit: 2), is: 7, "rows removed")
    try await store.read { (snapshot) throws(StoreError) in
      for id in ["abandoned", "idle", "revoked"] {
        try check(snapshot.grant(GrantID(rawValue: id)) == nil, "the grant \(id) must be removed")
      }
      for id in ["redeemed", "live"] {
        try check(snapshot.grant(GrantID(rawValue: id)) != nil, "the grant \(id) must remain")
      }
      try check(snapshot.code(4, of: "redeemed") != nil, "the code of a valid grant must remain")
      try check(snapshot.token(5, of: "live") != nil, "the token of a valid grant must remain")
      try check(snapshot.token(2, of: "idle") == nil, "the token of a removed grant must be removed")
      try check(snapshot.token(3, of: "revoked") == nil, "the token of a removed grant must be removed")
    }
  }

  private static func respectsLimit(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      for index in 0..<50 { _ = try tx.consumeInteraction("i\(index)", expires: .start) }
      for index in 0..<20 {
        try tx.insert(GrantRecord.example("g\(index)", expiresAt: .start))
        try tx.insert(AuthorizationCodeRecord.example(index, grant: "g\(index)"))
        _ = try tx.consumeAuthorizationCode(of: GrantID(rawValue: "g\(index)"), at: .start)
        try tx.insert(RefreshTokenRecord.example(index, grant: "g\(index)"))
        try tx.insert(GrantRecord.example("h\(index)"))
        try tx.insert(AuthorizationCodeRecord.example(100 + index, grant: "h\(index)", expiresAt: .start))
        if index.isMultiple(of: 3) { _ = try tx.consumeAuthorizationCode(of: GrantID(rawValue: "h\(index)"), at: .start) }
      }
    }
    // 50 interactions, 20 expired grants with one code and one token each, and 13 grants with one expired, unredeemed
    // code each.
    let total = 50 + 20 * 3 + 13 * 2
    try await expect(self.removeAll(store, before: .start + .milliseconds(1), limit: 7), is: total, "rows removed in steps of 7")
    try await expect(store.removeExpired(before: .start + .milliseconds(1), limit: 7), is: 0, "rows removed after the last step")
    // Here, the only removed rows are codes that expired unredeemed, and the grants of these codes.
    try await store.write { (tx) throws(StoreError) in
      for index in 0..<5 {
        try tx.insert(GrantRecord.example("i\(index)"))
        try tx.insert(AuthorizationCodeRecord.example(200 + index, grant: "i\(index)"))
      }
    }
    try await expect(
      self.removeAll(store, before: .start + .seconds(61), limit: 3), is: 10, "codes and grants removed in steps of 3")
  }
}
