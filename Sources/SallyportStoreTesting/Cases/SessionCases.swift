import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var sessionCases: [Case] {
    [
      Case("a browser session is found as it was inserted, and touched only forwards") { try await self.findsSessions($0) },
      Case("a browser session ends once, for one of many callers, and is not touched after") { try await self.endsSessions($0) },
      Case("S-37: all sessions of an account end, and nobody else's") { try await self.endsAllSessions($0) },
      Case("an interaction is burned once, by one of 300 callers") { try await self.burnsOnce($0) },
    ]
  }

  static var consentCases: [Case] {
    [Case("S-15: consents widen, each for its own account, client and redirect URI") { try await self.widensConsents($0) }]
  }

  private static func findsSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    var expected = BrowserSessionRecord.example()
    try await store.write { [expected] (tx) throws(StoreError) in
      try tx.insert(expected)
      try tx.touchBrowserSession(expected.fingerprint, at: .start + .seconds(9))
      try tx.touchBrowserSession(expected.fingerprint, at: .start + .seconds(3))
      try tx.touchBrowserSession(.example(2), at: .start)
    }
    expected.lastSeenAt = .start + .seconds(9)
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.browserSession(.example(1)) }
    try expect(found, is: expected, "the session")
    let owned = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.browserSessionAndAccount(.example(1)), try snapshot.browserSessionAndAccount(.example(2))]
    }
    try expect(owned.map(\.?.session), is: [expected, nil], "the session by whose it is")
    try expect(owned.map(\.?.account), is: [try .example(), nil], "whose it is")
    try await expectRefusal(.conflict, "the same fingerprint") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(BrowserSessionRecord.example()) }
    }
    try await expectRefusal(.conflict, "a session of nobody") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(BrowserSessionRecord.example(2, account: "nobody")) }
    }
  }

  private static func endsSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in try tx.insert(BrowserSessionRecord.example()) }
    let winners = try await race(50) { index in
      try await store.write { (tx) throws(StoreError) in
        try tx.endBrowserSession(.example(1), at: .start + .seconds(Int64(index + 1)), tx.recorded())
      }
    }
    try expect(winners, is: 1, "callers who ended it")
    let ended = try await store.read { (snapshot) throws(StoreError) in try snapshot.browserSession(.example(1)) }
    try expect(ended?.endedAt != nil, "the ended session is still found")
    try await store.write { (tx) throws(StoreError) in
      try tx.touchBrowserSession(.example(1), at: .start + .seconds(99))
      try tx.endBrowserSessions(of: AccountID(rawValue: "account"), at: .start + .seconds(99), tx.recorded())
      try agree(!tx.endBrowserSession(.example(2), at: .start, tx.recorded()), "there is no such session")
    }
    let after = try await store.read { (snapshot) throws(StoreError) in try snapshot.browserSession(.example(1)) }
    try expect(after, is: ended, "the ended session, later")
  }

  private static func endsAllSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      for number in 1...3 { try tx.insert(BrowserSessionRecord.example(number)) }
      try tx.insert(BrowserSessionRecord.example(4, account: "other"))
      try tx.endBrowserSessions(of: AccountID(rawValue: "account"), at: .start + .seconds(1), tx.recorded())
    }
    let ended = try await store.read { (snapshot) throws(StoreError) in
      var ended: [Timestamp?] = []
      for number in 1...4 { ended.append(try snapshot.browserSession(.example(number))?.endedAt) }
      return ended
    }
    let end = Timestamp.start + .seconds(1)
    try expect(ended, is: [end, end, end, nil], "when each ended")
  }

  private static func burnsOnce(_ harness: Harness) async throws {
    let (one, other) = (try await harness.open(), try await harness.open())
    let winners = try await race(300) { index in
      try await (index.isMultiple(of: 2) ? one : other).write { (tx) throws(StoreError) in
        try tx.burnInteraction("interaction", expires: .start + .seconds(60))
      }
    }
    try expect(winners, is: 1, "callers who burned it")
    let isOther = try await one.write { (tx) throws(StoreError) in try tx.burnInteraction("next", expires: .start) }
    try expect(isOther, "another interaction is not burned")
    for (id, isBurned) in [("interaction", true), ("next", true), ("third", false)] {
      let found = try await other.read { (snapshot) throws(StoreError) in try snapshot.isInteractionBurned(id) }
      try expect(found, is: isBurned, "whether \(id) is burned")
    }
  }

  private static func widensConsents(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let consent = ConsentRecord.example(scope: "openid email")
    let forResources = ConsentRecord.example(scope: "notes", resources: ["https://b.example/", "https://a.example/"])
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.remember(consent)
      try tx.remember(ConsentRecord.example(scope: "offline_access openid", at: .start + .seconds(5)))
      try tx.remember(forResources)
      try agree(
        tx.consents(account: consent.account, client: consent.client, redirectURI: "https://example.com/").isEmpty,
        "another redirect URI has no consent")
      try agree(
        tx.consents(account: consent.account, client: ClientID(rawValue: "other"), redirectURI: consent.redirectURI).isEmpty,
        "another client has no consent")
      return try tx.consents(account: consent.account, client: consent.client, redirectURI: consent.redirectURI)
    }
    let union = ConsentRecord.example(scope: "openid email offline_access", at: .start + .seconds(5))
    try expect(found, is: [union, forResources], "the union, and what was agreed to for resources apart from it")
  }
}
