import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var logoutCases: [Case] {
    [
      Case("a session's clients are found by session and by account, each only once and with the later expiration") {
        try await self.findsSessionClients($0)
      },
      Case("only one of 50 concurrent callers claims a delivery, a postponed delivery is not claimed, and attempts are counted") {
        try await self.claimsDeliveriesOnce($0)
      },
      Case("a claim returns the most overdue delivery to the requested kind of client, even if it has expired") {
        try await self.claimsMostOverdueFirst($0)
      },
    ]
  }

  private static func findsSessionClients(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let extended = Timestamp.start + .seconds(900)
    let account = AccountID(rawValue: "account")
    let (found, ofAccount) = try await store.write { (tx) throws(StoreError) in
      try tx.insert(ClientRecord.example("other"))
      try tx.put(SessionClientRecord.example())
      // The same client and session again, with an earlier expiration.
      try tx.put(SessionClientRecord.example(expiresAt: .start))
      try tx.put(SessionClientRecord.example(client: "other"))
      try tx.put(SessionClientRecord.example("later"))
      try tx.extendSessionClients(ofSession: "later", to: extended)
      try tx.extendSessionClients(ofSession: "later", to: .start)
      return (try tx.sessionClients(ofSession: "session"), try tx.sessionClients(of: account))
    }
    let both = [SessionClientRecord.example(), .example(client: "other")]
    try expect(found, is: both, "the session's clients")
    try expect(ofAccount, is: [.example("later", expiresAt: extended)] + both, "the account's session clients")
    let remaining = try await store.write { (tx) throws(StoreError) in
      try tx.removeSessionClients(ofSession: "session")
      return try tx.sessionClients(of: account)
    }
    try expect(remaining, is: [.example("later", expiresAt: extended)], "the remaining records")
  }

  private static func claimsDeliveriesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in try tx.insert(LogoutDeliveryRecord.example()) }
    let retry = Timestamp.start + .seconds(30)
    let successes = try await concurrentSuccesses(of: 50) { _ in
      try await store.write { (tx) throws(StoreError) in
        try tx.claimLogoutDelivery(isDynamic: true, except: [], retry: retry, at: .start) != nil
      }
    }
    try expect(successes, is: 1, "callers that claimed the delivery")
    var claimed = LogoutDeliveryRecord.example(dueAt: retry)
    claimed.attempts = 1
    let expected = claimed
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.logoutDeliveries() }
    try expect(found, is: [expected], "the claimed delivery")
    let id = expected.id
    try await store.write { (tx) throws(StoreError) in
      try tx.postponeLogoutDelivery(id, to: .start + .seconds(60))
      try check(
        tx.claimLogoutDelivery(isDynamic: true, except: [], retry: retry, at: retry) == nil,
        "a postponed delivery must not be claimed")
      try check(tx.removeLogoutDelivery(id), "removing a delivery must return true")
      try check(!tx.removeLogoutDelivery(id), "removing a delivery again must return false")
    }
  }

  private static func claimsMostOverdueFirst(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let (early, late) = (Timestamp.start - .seconds(9), Timestamp.start - .seconds(5))
    try await store.write { (tx) throws(StoreError) in
      for (id, origin) in [("other", .operator), ("first", .operator), ("document", .document)] as [(String, ClientRecord.Origin)]
      {
        try tx.insert(ClientRecord.example(id, origin: origin))
      }
      try tx.insert(LogoutDeliveryRecord.example(1, client: "first", dueAt: late))
      try tx.insert(LogoutDeliveryRecord.example(2, client: "first", dueAt: early))
      try tx.insert(LogoutDeliveryRecord.example(3, client: "other"))
      try tx.insert(LogoutDeliveryRecord.example(4, client: "other", dueAt: .start + .milliseconds(1)))
      try tx.insert(LogoutDeliveryRecord.example(5, client: "other", dueAt: early, expiresAt: .start))
      try tx.insert(LogoutDeliveryRecord.example(6, dueAt: late))
      try tx.insert(LogoutDeliveryRecord.example(7, client: "document", dueAt: early))
    }
    // The calls run in this order. `expected` is the number of the delivery that each one must claim. `isDynamic` is
    // true for clients that no operator registered: the default client of delivery 6, and the document client of
    // delivery 7.
    let calls: [(isDynamic: Bool, skipped: [String], expected: Int?)] = [
      (false, [], 2), (false, ["first", "nobody"], 5), (false, [], 1), (false, [], 3), (false, [], nil),
      (true, ["document", "first"], 6),
      (true, [], 7), (true, [], nil),
    ]
    for call in calls {
      let claimed = try await store.write { (tx) throws(StoreError) in
        try tx.claimLogoutDelivery(
          isDynamic: call.isDynamic, except: call.skipped.map { ClientID(rawValue: $0) }, retry: .start + .seconds(30),
          at: .start)
      }
      try expect(claimed?.id, is: call.expected.map { "delivery \($0)" }, "the claimed delivery, skipping \(call.skipped)")
    }
  }
}
