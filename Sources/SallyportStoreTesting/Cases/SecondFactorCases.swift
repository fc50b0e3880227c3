import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var secondFactorCases: [Case] {
    [
      Case("an authenticator app is stored with all its values, and an account has at most one") {
        try await self.storesApps($0)
      },
      Case("the time step of an accepted code only increases, and only one of 50 concurrent uses of a step succeeds") {
        try await self.usesStepsOnce($0)
      },
      Case("recovery codes belong to one account, and new ones replace all earlier ones") { try await self.replacesCodes($0) },
      Case("only one of 1,000 simultaneous uses of a recovery code succeeds") { try await self.usesCodesOnce($0) },
      Case("authenticator apps and recovery codes are removed with their account") { try await self.removesFactors($0) },
    ]
  }

  private static let account = AccountID(rawValue: "account")
  private static let other = AccountID(rawValue: "other")

  private static func open(_ harness: Harness) async throws -> any Store {
    let store = try await harness.open()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example())
      try tx.insert(AccountRecord.example("other", username: "ben"))
    }
    return store
  }

  private static func storesApps(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    var used = TOTPRecord.example("other")
    used.lastUsedAt = .start + .seconds(9)
    try await store.write { [used] (tx) throws(StoreError) in
      try tx.insert(TOTPRecord.example())
      try tx.insert(used)
    }
    let found = try await store.read { (snapshot) throws(StoreError) in
      try ["account", "other", "none"].map { (id) throws(StoreError) in try snapshot.totp(of: AccountID(rawValue: id)) }
    }
    try expect(found, is: [.example(), used, nil], "the authenticator apps")
    // `account` already has an app, and there is no account `nobody`.
    for account in ["account", "nobody"] {
      try await expectError(.conflict, "an app of \(account)") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(TOTPRecord.example(account)) }
      }
    }
    let removals = try await store.write { (tx) throws(StoreError) in
      [try tx.removeTOTP(of: self.account, tx.recordExample()), try tx.removeTOTP(of: self.account, tx.recordExample())]
    }
    try expect(removals, is: [true, false], "removing the app twice")
    let remaining = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.totp(of: self.account), try snapshot.totp(of: self.other)]
    }
    try expect(remaining, is: [nil, used], "the apps after the removal")
  }

  private static func usesStepsOnce(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in try tx.insert(TOTPRecord.example()) }
    let successes = try await concurrentSuccesses(of: 50) { _ in
      try await store.write { (tx) throws(StoreError) in try tx.useTOTP(of: self.account, step: 101, at: .start) }
    }
    try expect(successes, is: 1, "accepted uses of one step")
    for (step, isAccepted) in [(100, false), (101, false), (103, true), (102, false), (104, true)] as [(Int64, Bool)] {
      let isUsed = try await store.write { (tx) throws(StoreError) in
        try tx.useTOTP(of: self.account, step: step, at: .start + .seconds(step))
      }
      try expect(isUsed, is: isAccepted, "step \(step)")
    }
    let stored = try await store.read { (snapshot) throws(StoreError) in try snapshot.totp(of: self.account) }
    var expected = TOTPRecord.example()
    (expected.lastStep, expected.lastUsedAt) = (104, .start + .seconds(104))
    try expect(stored, is: expected, "the app after the last accepted use")
    let isUsed = try await store.write { (tx) throws(StoreError) in try tx.useTOTP(of: self.other, step: 200, at: .start) }
    try expect(!isUsed, "a step must not be accepted for an account without an app")
  }

  private static func replacesCodes(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in
      try tx.replaceRecoveryCodes(of: self.account, with: [.example(2), .example(1)], at: .start, tx.recordExample())
      try tx.replaceRecoveryCodes(of: self.other, with: [.example(1)], at: .start, tx.recordExample())
    }
    let uses = try await store.write { (tx) throws(StoreError) in
      [
        try tx.useRecoveryCode(.example(2), of: self.other, at: .start),
        try tx.useRecoveryCode(.example(1), of: self.account, at: .start + .seconds(1)),
        try tx.useRecoveryCode(.example(1), of: self.account, at: .start + .seconds(2)),
      ]
    }
    try expect(uses, is: [false, true, false], "another account's code, a code, and the same code again")
    func codes(_ account: AccountID) async throws -> Set<[String]> {
      let records = try await store.read { (snapshot) throws(StoreError) in try snapshot.recoveryCodes(of: account) }
      return Set(records.map { ["\($0.fingerprint.bytes)", "\($0.createdAt)", $0.usedAt.map { "\($0)" } ?? ""] })
    }
    func row(_ number: Int, used: Timestamp? = nil, at time: Timestamp = .start) -> [String] {
      ["\(Fingerprint.example(number).bytes)", "\(time)", used.map { "\($0)" } ?? ""]
    }
    try expect(try await codes(self.account), is: [row(1, used: .start + .seconds(1)), row(2)], "the codes")
    try expect(try await codes(self.other), is: [row(1)], "the codes of the other account")
    try await store.write { (tx) throws(StoreError) in
      try tx.replaceRecoveryCodes(of: self.account, with: [.example(3)], at: .start + .seconds(5), tx.recordExample())
    }
    try expect(try await codes(self.account), is: [row(3, at: .start + .seconds(5))], "the new codes")
    try await store.write { (tx) throws(StoreError) in
      try tx.replaceRecoveryCodes(of: self.account, with: [], at: .start, tx.recordExample())
    }
    try expect(try await codes(self.account), is: [], "no codes")
    try expect(try await codes(self.other), is: [row(1)], "the codes of the other account, which are unchanged")
  }

  private static func usesCodesOnce(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in
      try tx.replaceRecoveryCodes(of: self.account, with: [.example(1), .example(2)], at: .start, tx.recordExample())
    }
    let successes = try await concurrentSuccesses(of: 1_000) { _ in
      try await store.write { (tx) throws(StoreError) in try tx.useRecoveryCode(.example(1), of: self.account, at: .start) }
    }
    try expect(successes, is: 1, "accepted uses")
    let unused = try await store.read { (snapshot) throws(StoreError) in
      try snapshot.recoveryCodes(of: self.account).filter { $0.usedAt == nil }.map(\.fingerprint)
    }
    try expect(unused, is: [.example(2)], "the unused codes")
  }

  private static func removesFactors(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in
      for account in ["account", "other"] {
        try tx.insert(TOTPRecord.example(account))
        try tx.replaceRecoveryCodes(of: AccountID(rawValue: account), with: [.example(1)], at: .start, tx.recordExample())
      }
      _ = try tx.removeAccount(self.account, tx.recordExample())
    }
    let counts = try await store.read { (snapshot) throws(StoreError) in
      try [self.account, self.other].map { (account) throws(StoreError) in
        try (snapshot.totp(of: account) == nil ? 0 : 1) + snapshot.recoveryCodes(of: account).count
      }
    }
    try expect(counts, is: [0, 2], "the factors of the removed and of the other account")
  }
}

extension TOTPRecord {
  static func example(_ account: String = "account") -> TOTPRecord {
    TOTPRecord(account: AccountID(rawValue: account), sealedSecret: [0, 255, 7], lastStep: 100, createdAt: .start)
  }
}
