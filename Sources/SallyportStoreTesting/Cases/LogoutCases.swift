import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var logoutCases: [Case] {
    [
      Case("a session's clients are found by session and by account, each once, for the longer time") {
        try await self.findsSessionClients($0)
      },
      Case("a delivery is claimed once until its next time, by one of 50 callers, and counts its attempts") {
        try await self.claimsOnce($0)
      },
      Case("a client with many deliveries takes a few places, and what is not due or over takes none") {
        try await self.claimsFairly($0)
      },
    ]
  }

  private static func findsSessionClients(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithClient()
    let long = Timestamp.start + .seconds(900)
    let account = AccountID(rawValue: "account")
    let (found, ofAccount) = try await store.write { (tx) throws(StoreError) in
      try tx.insert(ClientRecord.example("other"))
      try tx.put(SessionClientRecord.example())
      try tx.put(SessionClientRecord.example(expiresAt: .start))
      try tx.put(SessionClientRecord.example(client: "other"))
      try tx.put(SessionClientRecord.example("later"))
      try tx.extendSessionClients(ofSession: "later", to: long)
      try tx.extendSessionClients(ofSession: "later", to: .start)
      return (try tx.sessionClients(ofSession: "session"), try tx.sessionClients(of: account))
    }
    let both = [SessionClientRecord.example(), .example(client: "other")]
    try expect(found, is: both, "the session's clients")
    try expect(ofAccount, is: [.example("later", expiresAt: long)] + both, "the account's")
    let left = try await store.write { (tx) throws(StoreError) in
      try tx.removeSessionClients(ofSession: "session")
      return try tx.sessionClients(of: account)
    }
    try expect(left, is: [.example("later", expiresAt: long)], "what is left")
  }

  private static func claimsOnce(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in try tx.insert(LogoutDeliveryRecord.example()) }
    let retry = Timestamp.start + .seconds(30)
    let winners = try await race(50) { _ in
      try await store.write { (tx) throws(StoreError) in
        try !tx.claimLogoutDeliveries(limit: 5, perClient: 5, retry: retry, at: .start).isEmpty
      }
    }
    try expect(winners, is: 1, "callers who got it")
    var claimed = LogoutDeliveryRecord.example(dueAt: retry)
    claimed.attempts = 1
    let expected = claimed
    let found = try await store.read { (snapshot) throws(StoreError) in try snapshot.logoutDeliveries() }
    try expect(found, is: [expected], "the claimed delivery")
    let id = expected.id
    try await store.write { (tx) throws(StoreError) in
      try tx.postponeLogoutDelivery(id, to: .start + .seconds(60))
      try agree(
        tx.claimLogoutDeliveries(limit: 5, perClient: 5, retry: retry, at: retry).isEmpty, "a postponed one is not due")
      try agree(tx.removeLogoutDelivery(id), "it goes")
      try agree(!tx.removeLogoutDelivery(id), "it goes once")
    }
  }

  private static func claimsFairly(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithClient()
    let claimed = try await store.write { (tx) throws(StoreError) in
      try tx.insert(ClientRecord.example("other"))
      for number in 1...5 { try tx.insert(LogoutDeliveryRecord.example(number, dueAt: .start - .seconds(9))) }
      try tx.insert(LogoutDeliveryRecord.example(6, client: "other"))
      try tx.insert(LogoutDeliveryRecord.example(7, client: "other", dueAt: .start + .seconds(1)))
      try tx.insert(LogoutDeliveryRecord.example(8, client: "other", expiresAt: .start))
      return try tx.claimLogoutDeliveries(limit: 3, perClient: 2, retry: .start + .seconds(30), at: .start)
    }
    try expect(Set(claimed.map(\.id)), is: ["delivery 1", "delivery 2", "delivery 6"], "what was claimed")
  }
}
