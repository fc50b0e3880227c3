import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var deviceCases: [Case] {
    [
      Case("RFC 8628: a device is found by either code, and both codes are unique") { try await self.findsDevices($0) },
      Case("RFC 8628: only one of 50 concurrent decisions succeeds, and a decision is stored with its time") {
        try await self.decidesOnce($0)
      },
      Case("RFC 8628: a device code is redeemed only once, and only if the user allowed it") {
        try await self.consumesDevicesOnce($0)
      },
      Case("RFC 8628: polls are stored with their interval") { try await self.storesPolls($0) },
      Case("S-37: an account's approvals are removed unless they have been redeemed") {
        try await self.removesUnredeemedApprovals($0)
      },
    ]
  }

  private static var allowed: DeviceAuthorizationRecord.Decision {
    .allowed(
      account: AccountID(rawValue: "account"), authenticatedAt: .start - .seconds(9), sessionID: "session",
      methods: ["pop", "user", "mfa"])
  }

  private static func findsDevices(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    // The record `example(n)` has the device code `example(n)` and the user code `example(n + 1_000)`.
    var minimal = DeviceAuthorizationRecord.example(2)
    (minimal.jkt, minimal.resources) = (nil, [])
    try await store.write { [minimal] (tx) throws(StoreError) in
      try tx.insert(DeviceAuthorizationRecord.example(1))
      try tx.insert(minimal)
      try check(tx.deviceAuthorization(.example(1)) == .example(1), "the device must be found by its device code")
      try check(tx.deviceAuthorization(userCode: .example(1_002)) == minimal, "the device must be found by its user code")
      try check(tx.deviceAuthorization(.example(1_001)) == nil, "a user code must not match as a device code")
      try check(tx.deviceAuthorization(userCode: .example(1)) == nil, "a device code must not match as a user code")
    }
    var sameUserCode = DeviceAuthorizationRecord.example(3)
    sameUserCode.userCode = .example(1_001)
    for device in [DeviceAuthorizationRecord.example(1), sameUserCode] {
      try await expectError(.conflict, "a code that exists") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(device) }
      }
    }
  }

  private static func decidesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      for number in 1...3 { try tx.insert(DeviceAuthorizationRecord.example(number)) }
    }
    let successes = try await concurrentSuccesses(of: 50) { index in
      let decision = index.isMultiple(of: 2) ? self.allowed : .denied
      return try await store.write { (tx) throws(StoreError) in try tx.decide(decision, onDevice: .example(1), at: .start) }
    }
    try expect(successes, is: 1, "successful decisions")
    try await store.write { (tx) throws(StoreError) in
      try check(
        tx.decide(self.allowed, onDevice: .example(2), at: .start + .seconds(1)),
        "the decision about the second device must return true")
      try check(
        tx.decide(.denied, onDevice: .example(3), at: .start + .seconds(2)),
        "the decision about the third device must return true")
      try check(!tx.decide(.denied, onDevice: .example(9), at: .start), "a decision about an unknown device must return false")
      let (second, third) = (try tx.deviceAuthorization(.example(2)), try tx.deviceAuthorization(.example(3)))
      try check(
        second?.decision == self.allowed && second?.decidedAt == .start + .seconds(1),
        "the decision about the second device must be stored with its time")
      try check(
        third?.decision == .denied && third?.decidedAt == .start + .seconds(2),
        "the decision about the third device must be stored with its time")
    }
  }

  private static func consumesDevicesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let grant = GrantID(rawValue: "grant")
    try await store.write { (tx) throws(StoreError) in
      for number in 1...3 { try tx.insert(DeviceAuthorizationRecord.example(number)) }
      _ = try tx.decide(self.allowed, onDevice: .example(1), at: .start)
      _ = try tx.decide(.denied, onDevice: .example(2), at: .start)
      for (number, state) in [(2, "denied"), (3, "undecided"), (9, "unknown")] {
        try check(
          !tx.consumeDeviceAuthorization(.example(number), as: grant, at: .start), "the \(state) device code must be rejected")
      }
    }
    let successes = try await concurrentSuccesses(of: 50) { _ in
      try await store.write { (tx) throws(StoreError) in try tx.consumeDeviceAuthorization(.example(1), as: grant, at: .start) }
    }
    try expect(successes, is: 1, "callers that redeemed the code")
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.deviceAuthorization(.example(1)) }
    try expect(found?.consumedAt, is: .start, "when the code was redeemed")
    try expect(found?.grant, is: grant, "the grant of the redeemed code")
  }

  private static func storesPolls(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.insert(DeviceAuthorizationRecord.example())
      try tx.notePoll(of: .example(1), interval: 10, at: .start + .seconds(3))
      return try tx.deviceAuthorization(.example(1))
    }
    try expect(found?.interval, is: 10, "the interval")
    try expect(found?.lastPolledAt, is: .start + .seconds(3), "the last poll")
  }

  private static func removesUnredeemedApprovals(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let other = AccountID(rawValue: "other")
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "other"))
      for number in 1...5 { try tx.insert(DeviceAuthorizationRecord.example(number)) }
      _ = try tx.decide(self.allowed, onDevice: .example(1), at: .start)
      _ = try tx.decide(self.allowed, onDevice: .example(2), at: .start)
      _ = try tx.consumeDeviceAuthorization(.example(2), as: .example, at: .start)
      _ = try tx.decide(
        .allowed(account: other, authenticatedAt: .start, sessionID: nil, methods: ["pwd"]), onDevice: .example(3), at: .start)
      _ = try tx.decide(.denied, onDevice: .example(4), at: .start)
      try tx.removeDeviceApprovals(of: AccountID(rawValue: "account"), tx.recordExample())
    }
    let remains = try await store.read { (snapshot) throws(StoreError) -> [Bool] in
      var remains: [Bool] = []
      for number in 1...5 { remains.append(try snapshot.deviceAuthorization(.example(number)) != nil) }
      return remains
    }
    try expect(
      remains, is: [false, true, true, true, true],
      "which device authorizations remain: approved, redeemed, approved by another account, denied, and undecided")
  }
}
