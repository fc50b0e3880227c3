import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var signUpCases: [Case] {
    [
      Case("a link for sign-up is stored with all its values, until it expires") { try await self.storesSignUps($0) },
      Case("only one of 50 concurrent uses of a link for sign-up succeeds, and none after the link expires") {
        try await self.consumesSignUpOnce($0)
      },
      Case("only one of 20 concurrent sign-ups with the same link adds an account, and only one of 20 with the same user name") {
        try await self.addsOnce($0)
      },
    ]
  }

  private static func storesSignUps(_ harness: Harness) async throws {
    let store = try await harness.open()
    let links = [
      SignUpRecord.example(1), .example(2, .invitation), .example(3, .mailedInvitation, expiresAt: .start + .seconds(5)),
    ]
    try await store.write { (tx) throws(StoreError) in for link in links { try tx.insert(link) } }
    // Number 4 was not inserted.
    func found() async throws(StoreError) -> [SignUpRecord] {
      try await store.read { (snapshot) throws(StoreError) in
        var found: [SignUpRecord] = []
        for number in 1...4 { if let link = try snapshot.signUp(.example(number)) { found.append(link) } }
        return found
      }
    }
    try await expect(found(), is: links, "the links")
    try await expectError(.conflict, "adding the same token again") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(SignUpRecord.example(1)) }
    }
    _ = try await store.removeExpired(before: .start + .seconds(6), limit: 100)
    try await expect(found(), is: Array(links.prefix(2)), "links after one has expired")
  }

  private static func consumesSignUpOnce(_ harness: Harness) async throws {
    let store = try await harness.open()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(SignUpRecord.example(1))
      try tx.insert(SignUpRecord.example(2))
    }
    for (number, reason) in [(2, "an expired link must not be consumed"), (3, "an unknown link must not be consumed")] {
      let isConsumed = try await store.write { (tx) throws(StoreError) in
        try tx.consumeSignUp(.example(number), at: .start + .seconds(600), keepingUntil: .start + .seconds(900))
      }
      try expect(isConsumed, is: false, reason)
    }
    let successes = try await concurrentSuccesses(of: 50) { _ in
      try await store.write { (tx) throws(StoreError) in
        try tx.consumeSignUp(.example(1), at: .start + .seconds(599), keepingUntil: .start + .seconds(900))
      }
    }
    try expect(successes, is: 1, "uses that succeeded")
    let used = try await store.read { (snapshot) throws(StoreError) in try snapshot.signUp(.example(1)) }
    try expect(used?.consumedAt, is: .start + .seconds(599), "the time of the use")
    try expect(used?.expiresAt, is: .start + .seconds(900), "the extended expiration of the used link")
  }

  private static func addsOnce(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.open(), try await harness.open())
    // The sign-ups with the same link use link 21. The sign-ups with the same user name use links 1 to 20.
    try await firstStore.write { (tx) throws(StoreError) in for number in 1...21 { try tx.insert(SignUpRecord.example(number)) } }
    let withOneLink = try await concurrentSuccesses(of: 20) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        guard try tx.removeSignUp(.example(21)) else { return false }
        try tx.insert(AccountRecord.example("link \(index)", username: "user\(index)"))
        return true
      }
    }
    try expect(withOneLink, is: 1, "accounts with one link")
    let withOneName = try await concurrentSuccesses(of: 20) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        let account = try AccountRecord.example("name \(index)", username: "ada")
        guard try tx.account(named: account.username) == nil, try tx.removeSignUp(.example(index + 1)) else { return false }
        try tx.insert(account)
        return true
      }
    }
    try expect(withOneName, is: 1, "accounts with one name")
    let count = try await firstStore.read { (snapshot) throws(StoreError) in try snapshot.accounts(after: nil, limit: 1_000).count
    }
    try expect(count, is: 2, "the number of accounts")
  }
}

extension SignUpRecord {
  static func example(
    _ number: Int, _ kind: Kind = .request, expiresAt: Timestamp = .start + .seconds(600)
  ) -> SignUpRecord {
    SignUpRecord(
      fingerprint: .example(number), kind: kind, email: "user\(number)@example.com", createdAt: .start, expiresAt: expiresAt)
  }
}
