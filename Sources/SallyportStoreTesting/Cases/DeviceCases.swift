import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var deviceCases: [Case] {
    [
      Case("RFC 8628: a device is found by either code, and each code is given once") { try await self.findsDevices($0) },
      Case("RFC 8628: one of 50 decisions counts, and what was decided is found") { try await self.decidesOnce($0) },
      Case("RFC 8628: a device gets its tokens once, and only where it was allowed") { try await self.consumesDevicesOnce($0) },
      Case("RFC 8628: polls are noted with their interval") { try await self.notesPolls($0) },
      Case("S-37: an account's approvals are removed unless they have been redeemed") { try await self.removesApprovals($0) },
    ]
  }

  private static var allowed: DeviceAuthorizationRecord.Decision {
    .allowed(account: AccountID(rawValue: "account"), authenticatedAt: .start - .seconds(9), sessionID: "session")
  }

  private static func findsDevices(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    var bare = DeviceAuthorizationRecord.example(2)
    (bare.boundKey, bare.resources) = (nil, [])
    try await store.write { [bare] (tx) throws(StoreError) in
      try tx.insert(DeviceAuthorizationRecord.example(1))
      try tx.insert(bare)
      try agree(tx.deviceAuthorization(.example(1)) == .example(1), "by device code")
      try agree(tx.deviceAuthorization(userCode: .example(1_002)) == bare, "by user code")
      try agree(tx.deviceAuthorization(.example(1_001)) == nil, "a user code is no device code")
      try agree(tx.deviceAuthorization(userCode: .example(1)) == nil, "nor the other way")
    }
    var sameUserCode = DeviceAuthorizationRecord.example(3)
    sameUserCode.userCode = .example(1_001)
    for device in [DeviceAuthorizationRecord.example(1), sameUserCode] {
      try await expectRefusal(.conflict, "a code that is taken") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(device) }
      }
    }
  }

  private static func decidesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      for number in 1...3 { try tx.insert(DeviceAuthorizationRecord.example(number)) }
    }
    let winners = try await race(50) { index in
      let decision = index.isMultiple(of: 2) ? self.allowed : .denied
      return try await store.write { (tx) throws(StoreError) in try tx.decide(decision, onDevice: .example(1), at: .start) }
    }
    try expect(winners, is: 1, "decisions that counted")
    try await store.write { (tx) throws(StoreError) in
      try agree(tx.decide(self.allowed, onDevice: .example(2), at: .start + .seconds(1)), "the second is decided")
      try agree(tx.decide(.denied, onDevice: .example(3), at: .start + .seconds(2)), "the third is decided")
      try agree(!tx.decide(.denied, onDevice: .example(9), at: .start), "there is no such device")
      let found = (try tx.deviceAuthorization(.example(2)), try tx.deviceAuthorization(.example(3)))
      try agree(found.0?.decision == self.allowed && found.0?.decidedAt == .start + .seconds(1), "who allowed it")
      try agree(found.1?.decision == .denied && found.1?.decidedAt == .start + .seconds(2), "that it was denied")
    }
  }

  private static func consumesDevicesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let grant = GrantID(rawValue: "grant")
    try await store.write { (tx) throws(StoreError) in
      for number in 1...3 { try tx.insert(DeviceAuthorizationRecord.example(number)) }
      _ = try tx.decide(self.allowed, onDevice: .example(1), at: .start)
      _ = try tx.decide(.denied, onDevice: .example(2), at: .start)
      for (number, what) in [(2, "denied"), (3, "undecided"), (9, "unknown")] {
        try agree(!tx.consumeDeviceAuthorization(.example(number), as: grant, at: .start), what)
      }
    }
    let winners = try await race(50) { _ in
      try await store.write { (tx) throws(StoreError) in try tx.consumeDeviceAuthorization(.example(1), as: grant, at: .start) }
    }
    try expect(winners, is: 1, "callers who got tokens")
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.deviceAuthorization(.example(1)) }
    try expect(found?.consumedAt, is: .start, "when it was used")
    try expect(found?.grant, is: grant, "for which grant")
  }

  private static func notesPolls(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let found = try await store.write { (tx) throws(StoreError) in
      try tx.insert(DeviceAuthorizationRecord.example())
      try tx.notePoll(of: .example(1), interval: 10, at: .start + .seconds(3))
      return try tx.deviceAuthorization(.example(1))
    }
    try expect(found?.interval, is: 10, "the interval")
    try expect(found?.lastPolledAt, is: .start + .seconds(3), "the last poll")
  }

  private static func removesApprovals(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    let other = AccountID(rawValue: "other")
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "other"))
      for number in 1...5 { try tx.insert(DeviceAuthorizationRecord.example(number)) }
      _ = try tx.decide(self.allowed, onDevice: .example(1), at: .start)
      _ = try tx.decide(self.allowed, onDevice: .example(2), at: .start)
      _ = try tx.consumeDeviceAuthorization(.example(2), as: .example, at: .start)
      _ = try tx.decide(.allowed(account: other, authenticatedAt: .start, sessionID: nil), onDevice: .example(3), at: .start)
      _ = try tx.decide(.denied, onDevice: .example(4), at: .start)
      try tx.removeDeviceApprovals(of: AccountID(rawValue: "account"), tx.recorded())
    }
    let left = try await store.read { (snapshot) throws(StoreError) -> [Bool] in
      var left: [Bool] = []
      for number in 1...5 { left.append(try snapshot.deviceAuthorization(.example(number)) != nil) }
      return left
    }
    try expect(left, is: [false, true, true, true, true], "approved, redeemed, of another account, denied, undecided")
  }
}
