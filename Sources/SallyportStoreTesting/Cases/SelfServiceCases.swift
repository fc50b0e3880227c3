import SallyportProtocol
import SallyportServer

extension StoreConformance {
  /// Tests of what the account page and the operators' commands for accounts read and change in a store.
  static var selfServiceCases: [Case] {
    [
      Case("a session's browser and address are stored, and the sessions of an account that have not ended are found") {
        try await self.findsSessionsOfAccount($0)
      },
      Case("the unrevoked grants of an account are found with the time of their last refresh") {
        try await self.findsGrantsOfAccount($0)
      },
      Case("the unrevoked grants of one client or of all clients are found in pages") { try await self.findsGrantsInPages($0) },
      Case("S-37: the consents and device approvals of an account are removed for one client, and others remain") {
        try await self.removesAccessOfClient($0)
      },
      Case("the name and the email address of an account are replaced") { try await self.changesProfiles($0) },
      Case("an account is removed with its sessions, consents, and grants, and logout deliveries and audit records remain") {
        try await self.removesAccounts($0)
      },
    ]
  }

  private static let account = AccountID(rawValue: "account")
  private static let other = AccountID(rawValue: "other")

  private static func findsSessionsOfAccount(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    var described = BrowserSessionRecord.example(1)
    (described.userAgent, described.address) = ("Mozilla/5.0 (\u{1F98A}; \"x\")", "2001:db8::7")
    try await store.write { [described] (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      try tx.insert(described)
      try tx.insert(BrowserSessionRecord.example(2))
      try tx.insert(BrowserSessionRecord.example(3))
      try tx.insert(BrowserSessionRecord.example(4, account: "other"))
      // A session keeps its identifier when its user signs in again.
      var successor = BrowserSessionRecord.example(5)
      successor.id = "session 3"
      _ = try tx.endBrowserSession(.example(3), at: .start, tx.recordExample())
      try tx.insert(successor)
    }
    let (sessions, found, owned) = try await store.read { (snapshot) throws(StoreError) in
      (
        try snapshot.browserSessions(of: self.account),
        try ["session 1", "session 3", "none"].map { (id) throws(StoreError) in try snapshot.browserSession(withID: id) },
        try snapshot.browserSessionAndAccount(.example(1))?.session
      )
    }
    try expect(
      Set(sessions.map(\.fingerprint)), is: [.example(1), .example(2), .example(5)], "the sessions of the account")
    try expect(found.map(\.?.fingerprint), is: [.example(1), .example(5), nil], "the sessions with these identifiers")
    try expect([found[0], owned], is: [described, described], "the session with its browser and address")
  }

  private static func findsGrantsOfAccount(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let uses = try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      var later = GrantRecord.example("a later one")
      later.createdAt = .start + .seconds(1)
      try tx.insert(later)
      try tx.insert(GrantRecord.example("revoked"))
      try tx.insert(GrantRecord.example("of another", account: "other"))
      try tx.revokeGrant(GrantID(rawValue: "revoked"), reason: .userRequest, at: .start, tx.recordExample())
      try tx.insert(RefreshTokenRecord.example(1))
      _ = try tx.consumeRefreshToken(.example(1), sealedSuccessor: [0], at: .start)
      var second = RefreshTokenRecord.example(2)
      second.issuedAt = .start + .seconds(60)
      try tx.insert(second)
      return try tx.grants(of: self.account)
    }
    try expect(uses.map(\.grant.id.rawValue), is: ["grant", "a later one"], "the grants, oldest first")
    try expect(uses.map(\.lastRefreshAt), is: [.start + .seconds(60), nil], "when each grant was last refreshed")
    try expect(uses.first?.grant, is: .example(), "the first grant")
  }

  private static func findsGrantsInPages(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let client = ClientID(rawValue: "client")
    let (pages, ofClient, ofNobody) = try await store.write { (tx) throws(StoreError) in
      try tx.insert(ClientRecord.example("second"))
      for id in ["g3", "g1", "g2", "g4"] { try tx.insert(GrantRecord.example(id)) }
      try tx.insert(GrantRecord.example("g5", client: "second"))
      try tx.revokeGrant(GrantID(rawValue: "g2"), reason: .userRequest, at: .start, tx.recordExample())
      return (
        [try tx.grants(of: nil, after: nil, limit: 2), try tx.grants(of: nil, after: GrantID(rawValue: "g3"), limit: 2)],
        [try tx.grants(of: client, after: nil, limit: 2), try tx.grants(of: client, after: GrantID(rawValue: "g3"), limit: 2)],
        try tx.grants(of: ClientID(rawValue: "none"), after: nil, limit: 2)
      )
    }
    try expect(pages.map { $0.map(\.grant.id.rawValue) }, is: [["g1", "g3"], ["g4", "g5"]], "the pages of all grants")
    try expect(ofClient.map { $0.map(\.grant.id.rawValue) }, is: [["g1", "g3"], ["g4"]], "the pages of one client's grants")
    try expect(ofNobody.isEmpty, "an unknown client must have no grants")
  }

  private static func removesAccessOfClient(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let allowed = DeviceAuthorizationRecord.Decision.allowed(
      account: self.account, authenticatedAt: .start, sessionID: nil, methods: ["pwd"])
    let ofOther = DeviceAuthorizationRecord.Decision.allowed(
      account: self.other, authenticatedAt: .start, sessionID: nil, methods: ["pwd"])
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      try tx.insert(ClientRecord.example("second"))
      for account in [self.account, self.other] {
        for client in ["client", "second"] {
          for resources in [[], ["https://api.example/"]] {
            var consent = ConsentRecord.example(scope: "openid", resources: resources)
            (consent.account, consent.client) = (account, ClientID(rawValue: client))
            try tx.remember(consent)
          }
        }
      }
      for number in 1...3 {
        var device = DeviceAuthorizationRecord.example(number)
        if number == 2 { device.client = ClientID(rawValue: "second") }
        try tx.insert(device)
        _ = try tx.decide(number == 3 ? ofOther : allowed, onDevice: .example(number), at: .start)
      }
      try check(
        tx.deviceApprovals(of: self.account).map(\.client.rawValue).sorted() == ["client", "second"],
        "the approvals of the account must be found")
      try tx.removeConsents(of: self.account, client: ClientID(rawValue: "client"), tx.recordExample())
      try tx.removeDeviceApprovals(of: self.account, client: ClientID(rawValue: "client"), tx.recordExample())
    }
    let (consents, ofOthers, devices) = try await store.read { (snapshot) throws(StoreError) in
      (
        try snapshot.consents(of: self.account), try snapshot.consents(of: self.other),
        try (1...3).map { (number) throws(StoreError) in try snapshot.deviceAuthorization(.example(number)) != nil }
      )
    }
    try expect(consents.map(\.client.rawValue), is: ["second", "second"], "the clients of the remaining consents")
    try expect(consents.map(\.resources), is: [[], ["https://api.example/"]], "the resources of the remaining consents")
    try expect(ofOthers.count, is: 4, "the number of consents of the other account")
    try expect(devices, is: [false, true, true], "which device approvals remain")
  }

  private static func changesProfiles(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let found = try await store.write { (tx) throws(StoreError) -> [AccountRecord?] in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      try check(
        tx.setProfile(name: "Ada L.", email: nil, emailVerifiedAt: nil, of: self.account), "changing an account must return true")
      try check(
        !tx.setProfile(name: nil, email: nil, emailVerifiedAt: nil, of: AccountID(rawValue: "nobody")),
        "changing an unknown account must return false")
      try check(tx.setLanguage("de", of: self.account), "setting the language of an account must return true")
      try check(
        !tx.setLanguage("de", of: AccountID(rawValue: "nobody")), "setting the language of an unknown account must return false")
      return [try tx.account(self.account), try tx.account(self.other)]
    }
    var expected = try AccountRecord.example()
    (expected.name, expected.email, expected.language) = ("Ada L.", nil, "de")
    try expect(found, is: [expected, try .example("other", username: "ben")], "the changed account, and the other one")
  }

  private static func removesAccounts(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(BrowserSessionRecord.example())
      try tx.insert(AuthorizationCodeRecord.example())
      try tx.insert(RefreshTokenRecord.example())
      try tx.remember(ConsentRecord.example(scope: "openid"))
      try tx.put(SessionClientRecord.example())
      try tx.insert(LogoutDeliveryRecord.example())
      try tx.insert(AuditRecord(.signedIn, account: self.account, from: .server, at: .start))
      try tx.insert(AccountRecord.example("other", username: "ben"))
      try tx.insert(GrantRecord.example("kept", account: "other"))
    }
    let removed = try await store.write { (tx) throws(StoreError) in
      [
        try tx.removeAccount(self.account, tx.recordExample()),
        try tx.removeAccount(AccountID(rawValue: "nobody"), tx.recordExample()),
      ]
    }
    try expect(removed, is: [true, false], "whether the account existed")
    try await store.write { (tx) throws(StoreError) in
      try check(tx.account(self.account) == nil, "the account must be removed")
      try check(tx.browserSession(.example(1)) == nil, "the session must be removed")
      let (code, token) = (try tx.code(), try tx.token(1))
      try check(tx.grant(.example) == nil && code == nil && token == nil, "the grant and its tokens must be removed")
      try check(tx.consents(of: self.account).isEmpty, "the consents must be removed")
      try check(tx.sessionClients(of: self.account).isEmpty, "the clients of the session must be removed")
      try check(tx.logoutDeliveries().map(\.account) == [self.account], "the logout delivery must remain")
      var query = AuditQuery(limit: 10)
      (query.account, query.events) = (self.account, [.signedIn])
      try check(tx.auditRecords(query).count == 1, "the audit record must remain")
      try check(tx.grant(GrantID(rawValue: "kept")) != nil, "the grant of the other account must remain")
      // The user name can be used again, for an account with a new identifier.
      try tx.insert(AccountRecord.example("new"))
    }
  }
}
