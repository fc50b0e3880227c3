import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var sessionCases: [Case] {
    [
      Case("a browser session is stored with all its values, and its last-seen time only increases") {
        try await self.findsSessions($0)
      },
      Case("only one of many concurrent callers ends a browser session, and the session does not change afterward") {
        try await self.endsSessions($0)
      },
      Case("S-37: ending an account's sessions does not affect other accounts") { try await self.endsAllSessions($0) },
      Case("a session that began at an upstream is found by the upstream's user or session until it ends") {
        try await self.findsUpstreamSessions($0)
      },
      Case("only one of 300 concurrent callers consumes an interaction") { try await self.consumesInteractionsOnce($0) },
    ]
  }

  static var consentCases: [Case] {
    [
      Case("S-15: consents are extended separately for each client, redirect URI, and list of resources") {
        try await self.extendsConsents($0)
      },
      Case("a session is found with its account and only the consents for the client and redirect URI") {
        try await self.findsSessionsWithConsents($0)
      },
      Case("a session is confirmed until it ends, expires, or is idle for too long") { try await self.confirmsSessions($0) },
      Case("S-15: a consent is confirmed until it is changed") { try await self.confirmsConsents($0) },
    ]
  }

  private static func findsSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    var expected = BrowserSessionRecord.example()
    expected.isOnPublicDevice = true
    expected.upstream = UpstreamSession(issuer: "https://login.example", subject: "subject", sessionID: "upstream session")
    try await store.write { [expected] (tx) throws(StoreError) in
      try tx.insert(expected)
      try tx.touchBrowserSession(expected.fingerprint, at: .start + .seconds(9))
      try tx.touchBrowserSession(expected.fingerprint, at: .start + .seconds(3))
      // Session 2 does not exist, so this call must do nothing.
      try tx.touchBrowserSession(.example(2), at: .start)
    }
    expected.lastSeenAt = .start + .seconds(9)
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.browserSession(.example(1)) }
    try expect(found, is: expected, "the session")
    let owned = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.browserSessionAndAccount(.example(1)), try snapshot.browserSessionAndAccount(.example(2))]
    }
    try expect(owned.map(\.?.session), is: [expected, nil], "the sessions with their accounts")
    try expect(owned.map(\.?.account), is: [try .example(), nil], "the accounts of the sessions")
    try await store.write { (tx) throws(StoreError) in try tx.insert(BrowserSessionRecord.example(3)) }
    let own = try await store.read { (snapshot) throws(StoreError) in try snapshot.browserSession(.example(3)) }
    try expect(own?.isOnPublicDevice, is: false, "whether the session on the user's own device is on a public device")
    try expect(own?.upstream, is: nil, "the upstream of the session that began without one")
    try await expectError(.conflict, "the same fingerprint") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(BrowserSessionRecord.example()) }
    }
    try await expectError(.conflict, "a session of an unknown account") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(BrowserSessionRecord.example(2, account: "nobody")) }
    }
  }

  private static func findsUpstreamSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let (issuer, otherIssuer) = ("https://login.example", "https://other.example")
    // The upstreams of the sessions 1 to 6, in this order.
    let upstreams = [
      nil, UpstreamSession(issuer: issuer, subject: "a", sessionID: "1"), UpstreamSession(issuer: issuer, subject: "a"),
      UpstreamSession(issuer: issuer, subject: "b", sessionID: "1"),
      UpstreamSession(issuer: otherIssuer, subject: "a", sessionID: "1"),
      UpstreamSession(issuer: issuer, subject: "a", sessionID: "2"),
    ]
    try await store.write { (tx) throws(StoreError) in
      for (number, upstream) in upstreams.enumerated() {
        var session = BrowserSessionRecord.example(number + 1)
        session.upstream = upstream
        try tx.insert(session)
      }
    }
    let find = { () async throws(StoreError) -> [Set<Fingerprint>] in
      try await store.read { (snapshot) throws(StoreError) in
        [
          Set(try snapshot.browserSessions(ofUpstream: issuer, subject: "a").map(\.fingerprint)),
          Set(try snapshot.browserSessions(ofUpstream: issuer, sessionID: "1").map(\.fingerprint)),
          Set(try snapshot.browserSessions(ofUpstream: issuer, subject: "1").map(\.fingerprint)),
        ]
      }
    }
    let found = try await find()
    try expect(found, is: [[.example(2), .example(3), .example(6)], [.example(2), .example(4)], []], "the sessions")
    try await store.write { (tx) throws(StoreError) in
      try check(tx.endBrowserSession(.example(2), at: .start, tx.recordExample()), "the session must end")
    }
    let remaining = try await find()
    try expect(remaining, is: [[.example(3), .example(6)], [.example(4)], []], "the sessions that have not ended")
  }

  private static func endsSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in try tx.insert(BrowserSessionRecord.example()) }
    let successes = try await concurrentSuccesses(of: 50) { index in
      try await store.write { (tx) throws(StoreError) in
        try tx.endBrowserSession(.example(1), at: .start + .seconds(Int64(index + 1)), tx.recordExample())
      }
    }
    try expect(successes, is: 1, "callers that ended the session")
    let ended = try await store.read { (snapshot) throws(StoreError) in try snapshot.browserSession(.example(1)) }
    try expect(ended?.endedAt != nil, "the ended session must still be found")
    try await store.write { (tx) throws(StoreError) in
      try tx.touchBrowserSession(.example(1), at: .start + .seconds(99))
      try tx.endBrowserSessions(of: AccountID(rawValue: "account"), at: .start + .seconds(99), tx.recordExample())
      try check(
        !tx.endBrowserSession(.example(2), at: .start, tx.recordExample()), "ending an unknown session must return false")
    }
    let after = try await store.read { (snapshot) throws(StoreError) in try snapshot.browserSession(.example(1)) }
    try expect(after, is: ended, "the ended session after a later change")
  }

  private static func endsAllSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      for number in 1...3 { try tx.insert(BrowserSessionRecord.example(number)) }
      try tx.insert(BrowserSessionRecord.example(4, account: "other"))
      try tx.endBrowserSessions(of: AccountID(rawValue: "account"), at: .start + .seconds(1), tx.recordExample())
    }
    let ended = try await store.read { (snapshot) throws(StoreError) in
      var ended: [Timestamp?] = []
      for number in 1...4 { ended.append(try snapshot.browserSession(.example(number))?.endedAt) }
      return ended
    }
    let end = Timestamp.start + .seconds(1)
    try expect(ended, is: [end, end, end, nil], "when each session ended")
  }

  private static func consumesInteractionsOnce(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.open(), try await harness.open())
    let successes = try await concurrentSuccesses(of: 300) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        try tx.consumeInteraction("interaction", expires: .start + .seconds(60))
      }
    }
    try expect(successes, is: 1, "callers that consumed the interaction")
    let isNewlyConsumed = try await firstStore.write { (tx) throws(StoreError) in
      try tx.consumeInteraction("next", expires: .start)
    }
    try expect(isNewlyConsumed, "another interaction must not have been consumed")
    for (id, isConsumed) in [("interaction", true), ("next", true), ("third", false)] {
      let found = try await secondStore.read { (snapshot) throws(StoreError) in try snapshot.isInteractionConsumed(id) }
      try expect(found, is: isConsumed, "whether \(id) is consumed")
    }
  }

  private static func extendsConsents(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let consent = ConsentRecord.example(scope: "openid email")
    let forResources = ConsentRecord.example(scope: "notes", resources: ["https://b.example/", "https://a.example/"])
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.remember(consent)
      try tx.remember(ConsentRecord.example(scope: "offline_access openid", at: .start + .seconds(5)))
      try tx.remember(forResources)
      try check(
        tx.consents(account: consent.account, client: consent.client, redirectURI: "https://example.com/").isEmpty,
        "another redirect URI must have no consent")
      try check(
        tx.consents(account: consent.account, client: ClientID(rawValue: "other"), redirectURI: consent.redirectURI).isEmpty,
        "another client must have no consent")
      return try tx.consents(account: consent.account, client: consent.client, redirectURI: consent.redirectURI)
    }
    let union = ConsentRecord.example(scope: "openid email offline_access", at: .start + .seconds(5))
    try expect(found, is: [union, forResources], "the union of the scopes, and the separate consent for resources")
  }

  private static func findsSessionsWithConsents(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let consent = ConsentRecord.example(scope: "openid email")
    let forResources = ConsentRecord.example(scope: "notes", resources: ["https://a.example/"])
    let session = BrowserSessionRecord.example()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(session)
      try tx.remember(forResources)
      try tx.remember(consent)
    }
    try await store.read { (snapshot) throws(StoreError) in
      let (client, uri) = (consent.client, consent.redirectURI)
      let found = try snapshot.browserSession(session.fingerprint, withConsentsFor: client, redirectURI: uri)
      try check(found?.session == session, "the session must be found")
      try check(found?.account == AccountRecord.example(), "the account of the session must be found")
      try check(found?.consents == [consent, forResources], "both consents must be found")
      for (client, uri) in [(client, "https://example.com/"), (ClientID(rawValue: "other"), uri)] {
        let found = try snapshot.browserSession(session.fingerprint, withConsentsFor: client, redirectURI: uri)
        try check(found?.session == session, "the session must be found without consents")
        try check(found?.consents.isEmpty == true, "no consent must be found for \(client) and \(uri)")
      }
      let unknown = try snapshot.browserSession(.example(2), withConsentsFor: client, redirectURI: uri)
      try check(unknown == nil, "an unknown session must not be found")
    }
  }

  private static func confirmsSessions(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let session = BrowserSessionRecord.example()
    let (seen, expiry) = (session.lastSeenAt, session.expiresAt)
    try await store.write { (tx) throws(StoreError) in try tx.insert(session) }
    // A session is confirmed if it was last seen after `limit` and has not expired at `now`.
    let cases: [(fingerprint: Fingerprint, now: Timestamp, limit: Timestamp, isConfirmed: Bool)] = [
      (session.fingerprint, seen, seen - .milliseconds(1), true),
      (session.fingerprint, seen, seen, false),
      (session.fingerprint, expiry - .milliseconds(1), seen - .seconds(1), true),
      (session.fingerprint, expiry, seen - .seconds(1), false),
      (.example(2), seen, seen - .seconds(1), false),
    ]
    for (fingerprint, now, limit, isConfirmed) in cases {
      let result = try await store.write { (tx) throws(StoreError) in
        try tx.confirmBrowserSession(fingerprint, at: now, seenAfter: limit)
      }
      try expect(result, is: isConfirmed, "the confirmation at \(now) of a session seen after \(limit)")
    }
    let afterEnd = try await store.write { (tx) throws(StoreError) in
      _ = try tx.endBrowserSession(session.fingerprint, at: seen, tx.recordExample())
      return try tx.confirmBrowserSession(session.fingerprint, at: seen, seenAfter: seen - .seconds(1))
    }
    try expect(afterEnd, is: false, "the confirmation of a session that has ended")
  }

  private static func confirmsConsents(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let consent = ConsentRecord.example(scope: "openid email", resources: ["https://a.example/"])
    let isKnown = try await store.write { (tx) throws(StoreError) in try tx.confirm(consent) }
    let isUnchanged = try await store.write { (tx) throws(StoreError) in
      try tx.remember(consent)
      return try tx.confirm(consent)
    }
    try expect(isKnown, is: false, "the confirmation of an unknown consent")
    try expect(isUnchanged, is: true, "the confirmation of the stored consent")
    try await store.write { (tx) throws(StoreError) in
      try tx.remember(ConsentRecord.example(scope: "profile", resources: consent.resources))
    }
    let afterChange = try await store.write { (tx) throws(StoreError) in try tx.confirm(consent) }
    try expect(afterChange, is: false, "the confirmation of a consent whose scope has changed")
  }
}
