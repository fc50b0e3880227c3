import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var passkeyCases: [Case] {
    [
      Case("a passkey is stored with all its values, and accounts have their own passkeys, oldest first") {
        try await self.findsPasskeys($0)
      },
      Case("a credential ID is unique across all accounts, and an invalid passkey is rejected") {
        try await self.rejectsPasskeys($0)
      },
      Case("a passkey on one device is used only with a counter that increases, unless both values are zero") {
        try await self.countsSignatures($0)
      },
      Case("a passkey that can be synchronized is used with any counter, and keeps the largest") {
        try await self.countsSynchronizedSignatures($0)
      },
      Case("only one of 50 concurrent uses with the same counter succeeds") { try await self.usesCountersOnce($0) },
      Case("a passkey is renamed and removed only by its own account") { try await self.removesPasskeys($0) },
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

  private static func findsPasskeys(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    var first = PasskeyRecord.example(1)
    first.lastUsedAt = .start + .seconds(9)
    var second = PasskeyRecord.example(2)
    second.createdAt = .start + .seconds(1)
    second.id = Array(repeating: 0, count: 1_023)
    (second.isAttested, second.isBackupEligible, second.isBackedUp, second.transports) = (true, false, false, [])
    let foreign = PasskeyRecord.example(3, account: "other")
    try await store.write { [first, second, foreign] (tx) throws(StoreError) in
      for passkey in [second, foreign, first] { try tx.insert(passkey) }
    }
    let found = try await store.read { [first, second] (snapshot) throws(StoreError) in
      [try snapshot.passkey(first.id), try snapshot.passkey(second.id), try snapshot.passkey([9])]
    }
    try expect(found, is: [first, second, nil], "the passkeys by credential ID")
    let lists = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.passkeys(of: self.account), try snapshot.passkeys(of: self.other)]
    }
    try expect(lists, is: [[first, second], [foreign]], "the passkeys of each account")
  }

  private static func rejectsPasskeys(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in try tx.insert(PasskeyRecord.example(1)) }
    let base = PasskeyRecord.example(2)
    func changed(_ change: (inout PasskeyRecord) -> Void) -> PasskeyRecord {
      var passkey = base
      change(&passkey)
      return passkey
    }
    let conflicting: [(String, PasskeyRecord)] = [
      ("the credential ID of another account's passkey", .example(1, account: "other")),
      ("an unknown account", .example(2, account: "nobody")),
    ]
    for (name, passkey) in conflicting {
      try await expectError(.conflict, name) {
        try await store.write { (tx) throws(StoreError) in try tx.insert(passkey) }
      }
    }
    let invalid: [(String, PasskeyRecord)] = [
      ("an empty credential ID", changed { $0.id = [] }),
      ("a credential ID that is too long", changed { $0.id = Array(repeating: 1, count: 1_024) }),
      ("a short AAGUID", changed { $0.aaguid = [1] }),
      ("a negative counter", changed { $0.signatureCount = -1 }),
      ("a counter above 32 bits", changed { $0.signatureCount = 4_294_967_296 }),
      ("a backup without eligibility", changed { ($0.isBackupEligible, $0.isBackedUp) = (false, true) }),
    ]
    for (name, passkey) in invalid {
      let isStored: Bool
      do {
        try await store.write { (tx) throws(StoreError) in try tx.insert(passkey) }
        isStored = true
      } catch { isStored = false }
      try expect(!isStored, "\(name) must be rejected")
    }
    // Without the change, the passkey is accepted.
    try await store.write { (tx) throws(StoreError) in try tx.insert(base) }
  }

  private static func countsSignatures(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(PasskeyRecord.example(1, isBackupEligible: false))
      var counting = PasskeyRecord.example(2, isBackupEligible: false)
      counting.signatureCount = 7
      try tx.insert(counting)
    }
    let uses: [(passkey: Int, count: Int64, isAccepted: Bool)] = [
      (1, 0, true), (1, 0, true), (1, 3, true), (1, 0, false), (1, 3, false), (2, 7, false), (2, 6, false), (2, 0, false),
      (2, 8, true), (3, 1, false),
    ]
    // A rejected use reports the passkey as backed up, which must not be stored, nor make the next use acceptable.
    for (index, use) in uses.enumerated() {
      let isAccepted = try await store.write { (tx) throws(StoreError) in
        try tx.usePasskey(
          PasskeyRecord.example(use.passkey).id, signatureCount: use.count, isBackupEligible: !use.isAccepted,
          isBackedUp: !use.isAccepted, at: .start + .seconds(Int64(index)))
      }
      try expect(isAccepted, is: use.isAccepted, "use \(index): passkey \(use.passkey) with counter \(use.count)")
    }
    let stored = try await store.read { (snapshot) throws(StoreError) in try snapshot.passkey(PasskeyRecord.example(1).id) }
    var expected = PasskeyRecord.example(1, isBackupEligible: false)
    (expected.signatureCount, expected.lastUsedAt) = (3, .start + .seconds(2))
    try expect(stored, is: expected, "the passkey after the last accepted use")
  }

  private static func countsSynchronizedSignatures(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in try tx.insert(PasskeyRecord.example(1)) }
    // The last use reports that the passkey can no longer be synchronized.
    for (index, count) in ([3, 3, 1, 0, 5, 4] as [Int64]).enumerated() {
      let isAccepted = try await store.write { (tx) throws(StoreError) in
        try tx.usePasskey(
          PasskeyRecord.example(1).id, signatureCount: count, isBackupEligible: index < 5, isBackedUp: index < 5,
          at: .start + .seconds(Int64(index)))
      }
      try expect(isAccepted, "use \(index) with counter \(count) must be accepted")
      let stored = try await store.read { (snapshot) throws(StoreError) in try snapshot.passkey(PasskeyRecord.example(1).id) }
      var expected = PasskeyRecord.example(1)
      (expected.signatureCount, expected.lastUsedAt) = (index < 4 ? 3 : 5, .start + .seconds(Int64(index)))
      (expected.isBackupEligible, expected.isBackedUp) = (index < 5, index < 5)
      try expect(stored, is: expected, "the passkey after use \(index)")
    }
    let isAccepted = try await store.write { (tx) throws(StoreError) in
      try tx.usePasskey(
        PasskeyRecord.example(1).id, signatureCount: 5, isBackupEligible: false, isBackedUp: false, at: .start)
    }
    try expect(!isAccepted, "a passkey that can no longer be synchronized must increase its counter")
  }

  private static func usesCountersOnce(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    try await store.write { (tx) throws(StoreError) in try tx.insert(PasskeyRecord.example(1, isBackupEligible: false)) }
    let successes = try await concurrentSuccesses(of: 50) { index in
      try await store.write { (tx) throws(StoreError) in
        try tx.usePasskey(PasskeyRecord.example(1).id, signatureCount: 1, isBackupEligible: false, isBackedUp: false, at: .start)
      }
    }
    try expect(successes, is: 1, "accepted uses")
  }

  private static func removesPasskeys(_ harness: Harness) async throws {
    let store = try await self.open(harness)
    let id = PasskeyRecord.example(1).id
    let results = try await store.write { (tx) throws(StoreError) -> [Bool] in
      try tx.insert(PasskeyRecord.example(1))
      return [
        try tx.renamePasskey(id, of: self.other, to: "stolen"), try tx.removePasskey(id, of: self.other, tx.recordExample()),
        try tx.renamePasskey(id, of: self.account, to: "Phone"),
      ]
    }
    try expect(results, is: [false, false, true], "renaming and removing another account's passkey, and renaming one's own")
    let name = try await store.read { (snapshot) throws(StoreError) in try snapshot.passkey(id)?.name }
    try expect(name, is: "Phone", "the new name")
    let removals = try await store.write { (tx) throws(StoreError) in
      [
        try tx.removePasskey(id, of: self.account, tx.recordExample()),
        try tx.removePasskey(id, of: self.account, tx.recordExample()),
      ]
    }
    try expect(removals, is: [true, false], "removing the passkey twice")
  }
}

extension PasskeyRecord {
  static func example(_ number: Int = 1, account: String = "account", isBackupEligible: Bool = true) -> PasskeyRecord {
    PasskeyRecord(
      id: Fingerprint.example(number).bytes, account: AccountID(rawValue: account), relyingPartyID: "example.com",
      publicKey: [0xA5, UInt8(truncatingIfNeeded: number)], aaguid: Array(repeating: 7, count: 16), signatureCount: 0,
      transports: ["internal", "hybrid"], isBackupEligible: isBackupEligible, isBackedUp: false, name: "Passkey \(number)",
      createdAt: .start)
  }
}
