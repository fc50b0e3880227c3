import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var upstreamCases: [Case] {
    [
      Case("S-24: upstreams are stored with all their values, and each change raises the configuration version") {
        try await self.storesUpstreams($0)
      },
      Case("S-24: an identity belongs to one account, and is removed with the account") { try await self.storesIdentities($0) },
      Case("S-24: only one of 20 accounts that connect the same identity at the same time gets it") {
        try await self.connectsIdentitiesOnce($0)
      },
      Case("S-24: only one of 50 simultaneous uses of a request to an upstream succeeds, and none after its expiration") {
        try await self.consumesRequestsOnce($0)
      },
    ]
  }

  private static let account = AccountID(rawValue: "account")

  private static func storesUpstreams(_ harness: Harness) async throws {
    let store = try await harness.open()
    func version() async throws -> Int64 {
      try await store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
    }
    var versions = [try await version()]
    try await store.write { (tx) throws(StoreError) in try tx.insert(UpstreamRecord.example()) }
    versions.append(try await version())
    var disabled = UpstreamRecord.example("b")
    (disabled.sealedSecret, disabled.disabledAt, disabled.createdAt) = (nil, .start, .start + .seconds(1))
    try await store.write { [disabled] (tx) throws(StoreError) in try tx.insert(disabled) }
    versions.append(try await version())
    let all = try await store.read { (tx) throws(StoreError) in try tx.upstreams() }
    try expect(all, is: [.example(), disabled], "the upstreams")
    try await expectError(.conflict, "a second upstream with the same identifier") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(UpstreamRecord.example()) }
    }
    var changed = UpstreamRecord.example()
    (changed.name, changed.issuer, changed.clientID, changed.sealedSecret) = ("New", "https://new.example", "new", [9])
    (changed.details, changed.disabledAt) = (UpstreamDetails(accounts: .create, nameClaim: "display_name"), .start + .seconds(5))
    let isUpdated = try await store.write { [changed] (tx) throws(StoreError) in
      var missing = changed
      missing.id = "none"
      return [try tx.update(changed), try tx.update(missing)]
    }
    try expect(isUpdated, is: [true, false], "the updates")
    versions.append(try await version())
    let stored = try await store.read { (tx) throws(StoreError) in try tx.upstream("corp") }
    try expect(stored, is: changed, "the changed upstream")
    let removals = try await store.write { (tx) throws(StoreError) in
      [try tx.removeUpstream("corp", tx.recordExample()), try tx.removeUpstream("corp", tx.recordExample())]
    }
    try expect(removals, is: [true, false], "removing an upstream twice")
    versions.append(try await version())
    try expect(versions == versions.sorted() && Set(versions).count == versions.count, "the versions \(versions) increase")
  }

  private static func storesIdentities(_ harness: Harness) async throws {
    let store = try await harness.open()
    var used = FederatedIdentityRecord.example(2)
    (used.label, used.lastUsedAt, used.createdAt) = (nil, .start + .seconds(3), .start + .seconds(1))
    try await store.write { [used] (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example())
      try tx.insert(AccountRecord.example("other", username: "ben"))
      try tx.insert(FederatedIdentityRecord.example(1))
      try tx.insert(used)
      try tx.insert(FederatedIdentityRecord.example(3, account: "other"))
    }
    let found = try await store.read { (tx) throws(StoreError) in try tx.federatedIdentities(of: self.account) }
    try expect(found, is: [.example(1), used], "the identities of the account")
    for identity in [FederatedIdentityRecord.example(1, account: "other"), .example(9, account: "nobody")] {
      try await expectError(.conflict, "an identity that exists, or an identity of an unknown account") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(identity) }
      }
    }
    let issuer = FederatedIdentityRecord.example(1).issuer
    let results = try await store.write { (tx) throws(StoreError) in
      [
        try tx.useFederatedIdentity(issuer: issuer, subject: "subject 1", at: .start + .seconds(7)),
        try tx.useFederatedIdentity(issuer: "https://other.example", subject: "subject 1", at: .start),
        try tx.removeFederatedIdentity(issuer: issuer, subject: "subject 3", of: self.account, tx.recordExample()),
        try tx.removeFederatedIdentity(issuer: issuer, subject: "subject 2", of: self.account, tx.recordExample()),
      ]
    }
    try expect(results, is: [true, false, false, true], "use and removal of identities")
    let first = try await store.read { (tx) throws(StoreError) in
      try tx.federatedIdentity(issuer: issuer, subject: "subject 1")
    }
    try expect(first?.lastUsedAt, is: .start + .seconds(7), "the last use")
    let remaining = try await store.write { (tx) throws(StoreError) in
      _ = try tx.removeAccount(self.account, tx.recordExample())
      return try ["subject 1", "subject 3"].map { (subject) throws(StoreError) in
        try tx.federatedIdentity(issuer: issuer, subject: subject) != nil
      }
    }
    try expect(remaining, is: [false, true], "the identities after the removal of an account")
  }

  private static func connectsIdentitiesOnce(_ harness: Harness) async throws {
    let store = try await harness.open()
    try await store.write { (tx) throws(StoreError) in
      for number in 0..<20 { try tx.insert(AccountRecord.example("account \(number)", username: "user-\(number)")) }
    }
    let successes = try await concurrentSuccesses(of: 20) { number in
      do throws(StoreError) {
        try await store.write { (tx) throws(StoreError) in
          try tx.insert(FederatedIdentityRecord.example(1, account: "account \(number)"))
        }
        return true
      } catch {
        guard error == .conflict else { throw error }
        return false
      }
    }
    try expect(successes, is: 1, "accounts with the identity")
  }

  private static func consumesRequestsOnce(_ harness: Harness) async throws {
    let store = try await harness.open()
    try await store.write { (tx) throws(StoreError) in
      for number in 1...2 { try tx.insert(UpstreamRequestRecord.example(number)) }
    }
    let stored = try await store.read { (tx) throws(StoreError) in try tx.upstreamRequest(.example(1)) }
    try expect(stored, is: .example(1), "the request")
    let successes = try await concurrentSuccesses(of: 50) { _ in
      try await store.write { (tx) throws(StoreError) in try tx.consumeUpstreamRequest(.example(1), at: .start) }
    }
    try expect(successes, is: 1, "accepted uses")
    let isExpiredAccepted = try await store.write { (tx) throws(StoreError) in
      try tx.consumeUpstreamRequest(.example(2), at: .start + .seconds(600))
    }
    try expect(!isExpiredAccepted, "an expired request must not be accepted")
    _ = try await store.removeExpired(before: .start + .seconds(601), limit: 10)
    let expired = try await store.read { (tx) throws(StoreError) in try tx.upstreamRequest(.example(2)) }
    try expect(expired, is: nil, "the expired request")
  }
}

extension UpstreamRecord {
  static func example(_ id: String = "corp") -> UpstreamRecord {
    UpstreamRecord(
      id: id, name: "Corp", issuer: "https://login.corp.example", clientID: "client", sealedSecret: [0, 255, 7],
      details: UpstreamDetails(trustedDomains: ["corp.example"], twoFactorContexts: ["urn:mfa"]), createdAt: .start)
  }
}

extension FederatedIdentityRecord {
  static func example(_ number: Int, account: String = "account") -> FederatedIdentityRecord {
    FederatedIdentityRecord(
      issuer: "https://login.corp.example", subject: "subject \(number)", account: AccountID(rawValue: account),
      label: "ada@corp.example", createdAt: .start)
  }
}

extension UpstreamRequestRecord {
  static func example(_ number: Int) -> UpstreamRequestRecord {
    UpstreamRequestRecord(
      fingerprint: .example(number), sealedContent: [0, 255, 1], expiresAt: .start + .seconds(600))
  }
}
