import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var grantCases: [Case] {
    [
      Case("a grant is stored with all its values") { try await self.findsGrants($0) },
      Case("a grant has a resource owner while it is valid and its account is enabled") {
        try await self.findsResourceOwners($0)
      },
      Case("RFC 9449: a grant is bound to only one of 50 concurrent keys") { try await self.bindsGrantsOnce($0) },
      Case("the unrevoked grants of a browser session are found") { try await self.findsGrantsOfSession($0) },
      Case("S-37: a grant is revoked only once, and keeps its first reason") { try await self.revokesOnce($0) },
      Case("S-37: revoking an account's grants does not affect other accounts") { try await self.revokesGrantsOfAccount($0) },
      Case("the grants and consents of a client without grant types are removed in steps") {
        try await self.removesGrantsOfClient($0)
      },
      Case("S-37: a revoked grant gets no new code or token, and its existing code and tokens cannot be consumed") {
        try await self.rejectsCredentialsOfRevokedGrants($0)
      },
    ]
  }

  private static func removesGrantsOfClient(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let client = ClientID(rawValue: "client")
    let counts = try await store.write { (tx) throws(StoreError) -> [Int] in
      try tx.insert(ClientRecord.example("other"))
      try tx.insert(GrantRecord.example("of-other", client: "other"))
      try tx.insert(RefreshTokenRecord.example(1, grant: "of-other", fingerprint: 9))
      try tx.insert(AuthorizationCodeRecord.example(8))
      for (number, name) in [(2, "second"), (3, "third")] {
        try tx.insert(GrantRecord.example(name))
        try tx.insert(RefreshTokenRecord.example(1, grant: name, fingerprint: number))
      }
      try tx.insert(RefreshTokenRecord.example(1))
      try tx.remember(.example(scope: "openid"))
      var counts = [try tx.removeGrantsAndConsents(ofDisabled: client, limit: 2)]
      guard var disabled = try tx.client(client) else { return [] }
      disabled.grantTypes = []
      _ = try tx.update(disabled)
      for _ in 0..<5 { counts.append(try tx.removeGrantsAndConsents(ofDisabled: client, limit: 2)) }
      return counts
    }
    // Two refresh tokens, their grants, the third token with its grant, and the consent.
    try expect(counts, is: [0, 2, 2, 2, 1, 0], "removed rows, first while the client has grant types")
    try await store.read { (snapshot) throws(StoreError) in
      try check(snapshot.client(client) != nil, "the client must stay")
      try check(snapshot.grant(.example) == nil, "the grant must be removed")
      let other = try snapshot.refreshToken(.example(9), .example(1, grant: "of-other"))
      try check(other?.grant.client == ClientID(rawValue: "other"), "the grant of another client must stay")
    }
  }

  private static func findsResourceOwners(_ harness: Harness) async throws {
    var grant = GrantRecord.example(expiresAt: .start + .seconds(60))
    grant.requestedClaims = "{}"
    let store = try await harness.openWithGrant(grant)
    let account = try AccountRecord.example()
    let end = Timestamp.start + .seconds(60)
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(GrantRecord.example("revoked"))
      try tx.revokeGrant(GrantID(rawValue: "revoked"), reason: .clientRequest, at: .start, tx.recordExample())
      let owner = ResourceOwner(account: account, requestedClaims: "{}")
      try check(
        tx.resourceOwner(of: .example, at: end - .milliseconds(1)) == owner,
        "a grant must have a resource owner until it expires")
      try check(tx.resourceOwner(of: .example, at: end) == nil, "an expired grant must have no resource owner")
      try check(
        tx.resourceOwner(of: GrantID(rawValue: "revoked"), at: .start) == nil, "a revoked grant must have no resource owner")
      try check(
        tx.resourceOwner(of: GrantID(rawValue: "none"), at: .start) == nil, "an unknown grant must have no resource owner")
      try check(tx.setDisabled(.start, account: account.id, tx.recordExample()), "disabling an account must return true")
      try check(tx.resourceOwner(of: .example, at: .start) == nil, "a grant of a disabled account must have no resource owner")
    }
  }

  private static func findsGrants(_ harness: Harness) async throws {
    var detailed = GrantRecord.example("detailed")
    detailed.nonce = nil
    detailed.requestedScope = "openid email"
    detailed.resources = ["https://api.example.com/", "https://mcp.example.com/mcp?x=1"]
    detailed.jkt = .exampleThumbprint(1)
    detailed.sessionID = "session"
    detailed.authenticationContext = "urn:example:loa:2"
    detailed.authenticationMethods = ["pwd", "otp"]
    detailed.requestedClaims = #"{"id_token":{"email":null}}"#
    let store = try await harness.openWithGrant()
    try await store.write { [detailed] (tx) throws(StoreError) in try tx.insert(detailed) }
    let found = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.grant(GrantID(rawValue: "grant")), try snapshot.grant(GrantID(rawValue: "detailed"))]
    }
    try expect(found, is: [GrantRecord.example(), detailed], "the grants")
    // An identifier that is in use, an unknown account, and an unknown client.
    for grant in [GrantRecord.example(), .example("new", account: "nobody"), .example("new", client: "none")] {
      try await expectError(.conflict, "grant \(grant.id.rawValue) of \(grant.account.rawValue) to \(grant.client.rawValue)") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(grant) }
      }
    }
  }

  private static func bindsGrantsOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let id = GrantID(rawValue: "grant")
    let bound = try await concurrentSuccesses(of: 50) { index in
      try await store.write { (tx) throws(StoreError) in try tx.bindGrant(id, to: .exampleThumbprint(index)) }
    }
    try expect(bound, is: 1, "callers that bound the grant")
    // Binding the grant to the same key again succeeds.
    let key = try await store.read { (snapshot) throws(StoreError) in try snapshot.grant(id)?.jkt }
    try await store.write { (tx) throws(StoreError) in
      try check(
        key.map { key throws(StoreError) in try tx.bindGrant(id, to: key) } ?? false,
        "the grant must still be bound to the same key")
      try check(!tx.bindGrant(GrantID(rawValue: "none"), to: .exampleThumbprint(1)), "binding an unknown grant must return false")
    }
  }

  private static func findsGrantsOfSession(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("second", username: "second"))
      for (id, session, account) in [
        ("b", "one", "account"), ("a", "one", "account"), ("ended", "one", "account"), ("other", "two", "account"),
        ("second", "one", "second"),
      ] {
        var grant = GrantRecord.example(id, account: account)
        grant.sessionID = session
        try tx.insert(grant)
      }
      try tx.revokeGrant(GrantID(rawValue: "ended"), reason: .signedOut, at: .start, tx.recordExample())
      return try tx.grants(of: AccountID(rawValue: "account"), inSession: "one").map(\.id.rawValue)
    }
    try expect(found, is: ["a", "b"], "grants of the session")
  }

  private static func revokesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let id = GrantID(rawValue: "grant")
    let (results, found) = try await store.write { (tx) throws(StoreError) in
      let first = try tx.revokeGrant(id, reason: .codeReplayed, at: .start + .seconds(1), tx.recordExample())
      let second = try tx.revokeGrant(id, reason: .clientRequest, at: .start + .seconds(2), tx.recordExample())
      try tx.revokeGrants(
        of: AccountID(rawValue: "account"), reason: .passwordChanged, at: .start + .seconds(3), tx.recordExample())
      let missing = try tx.revokeGrant(GrantID(rawValue: "none"), reason: .clientRequest, at: .start, tx.recordExample())
      return ([first, second, missing], try tx.grant(id))
    }
    try expect(results, is: [true, false, false], "whether the grant was revoked by this call")
    try expect(found?.revokedAt, is: .start + .seconds(1), "when the grant was revoked")
    try expect(found?.revocationReason, is: .codeReplayed, "the reason of the revocation")
  }

  private static func revokesGrantsOfAccount(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let reasons = try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      try tx.insert(GrantRecord.example("second"))
      try tx.insert(GrantRecord.example("kept", account: "other"))
      try tx.revokeGrants(of: AccountID(rawValue: "account"), reason: .accountDisabled, at: .start, tx.recordExample())
      return [
        try tx.grant(GrantID(rawValue: "grant"))?.revocationReason, try tx.grant(GrantID(rawValue: "second"))?.revocationReason,
        try tx.grant(GrantID(rawValue: "kept"))?.revocationReason,
      ]
    }
    try expect(reasons, is: [.accountDisabled, .accountDisabled, nil], "the reason of each revocation")
  }

  private static func rejectsCredentialsOfRevokedGrants(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let id = GrantID(rawValue: "grant")
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AuthorizationCodeRecord.example())
      // This grant has no code and no token, so only its revocation can cause the conflicts below.
      try tx.insert(GrantRecord.example("empty"))
      try tx.revokeGrant(GrantID(rawValue: "empty"), reason: .clientRequest, at: .start, tx.recordExample())
      try tx.insert(RefreshTokenRecord.example(1))
      try check(tx.rotate(1), "the first token must be replaced")
      try tx.revokeGrant(id, reason: .refreshTokenReused, at: .start, tx.recordExample())
    }
    try await store.write { (tx) throws(StoreError) in
      try check(!tx.consumeAuthorizationCode(of: .example, at: .start), "a code of a revoked grant must not be consumed")
      try check(!tx.rotate(2), "a token of a revoked grant must not be replaced")
      try check(tx.token(1)?.sealedSuccessor == nil, "the sealed successor must be deleted with the revocation")
    }
    try await expectError(.conflict, "a new code") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(AuthorizationCodeRecord.example(8, grant: "empty")) }
    }
    try await expectError(.conflict, "a new token") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(RefreshTokenRecord.example(8, grant: "empty")) }
    }
  }
}
