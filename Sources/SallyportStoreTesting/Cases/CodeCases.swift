import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var codeCases: [Case] {
    [
      Case("a code is found only by its fingerprint together with its grant") { try await self.findsCodes($0) },
      Case("S-22: a code is consumed only once") { try await self.consumesCodesOnce($0) },
      Case("concurrent failed redemptions of a code are counted exactly") { try await self.countsFailedRedemptions($0) },
    ]
  }

  private static func findsCodes(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    var minimal = AuthorizationCodeRecord.example(2, grant: "second")
    minimal.challenge = nil
    try await store.write { [minimal] (tx) throws(StoreError) in
      try tx.insert(AuthorizationCodeRecord.example())
      try tx.insert(GrantRecord.example("second"))
      try tx.insert(minimal)
    }
    let found = try await store.read { (snapshot) throws(StoreError) in
      [
        try snapshot.authorizationCode(.example(1), of: .example),
        try snapshot.authorizationCode(.example(2), of: GrantID(rawValue: "second")),
        try snapshot.authorizationCode(.example(2), of: .example),
        try snapshot.authorizationCode(.example(1), of: GrantID(rawValue: "none")),
      ]
    }
    let expected = GrantedCredential(AuthorizationCodeRecord.example(), grant: .example(), account: try .example())
    try expect(
      found, is: [expected, GrantedCredential(minimal, grant: .example("second"), account: try .example()), nil, nil],
      "the codes with their grants and accounts, and no code for a different grant")
    for code in [AuthorizationCodeRecord.example(3), .example(3, grant: "none")] {
      try await expectError(.conflict, "a second code of a grant, or a code of an unknown grant") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(code) }
      }
    }
  }

  private static func consumesCodesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let results = try await store.write { (tx) throws(StoreError) in
      try tx.insert(AuthorizationCodeRecord.example(1))
      try tx.insert(GrantRecord.example("second"))
      try tx.insert(AuthorizationCodeRecord.example(2, grant: "second"))
      return [
        try tx.consumeAuthorizationCode(of: .example, at: .start), try tx.consumeAuthorizationCode(of: .example, at: .start),
        try tx.consumeAuthorizationCode(of: GrantID(rawValue: "none"), at: .start),
      ]
    }
    try expect(results, is: [true, false, false], "results of the first call, the second call, and a call for an unknown grant")
    let isConsumedAgain = try await store.write { (tx) throws(StoreError) in
      try tx.consumeAuthorizationCode(of: .example, at: .start + .seconds(1))
    }
    try expect(!isConsumedAgain, "a consumed code must not be consumed again")
    let found = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.code()?.consumedAt, try snapshot.code(2, of: "second")?.consumedAt]
    }
    try expect(found, is: [.start, nil], "when each code was consumed")
  }

  private static func countsFailedRedemptions(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in try tx.insert(AuthorizationCodeRecord.example()) }
    let countsOfFive = try await concurrentSuccesses(of: 20) { _ in
      try await store.write { (tx) throws(StoreError) in try tx.countFailedRedemption(of: .example) } == 5
    }
    try expect(countsOfFive, is: 1, "callers that received the count five")
    let failures = try await store.read { (snapshot) throws(StoreError) in
      try snapshot.code()?.failures
    }
    try expect(failures, is: 20, "the count")
    let isStillUsable = try await store.write { (tx) throws(StoreError) in
      try tx.consumeAuthorizationCode(of: .example, at: .start)
    }
    try expect(isStillUsable, "counting a failure must not consume the code")
  }
}
