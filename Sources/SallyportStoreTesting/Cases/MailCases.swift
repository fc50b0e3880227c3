import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var mailCases: [Case] {
    [
      Case("a one-time link is stored with all its values, and belongs to an existing account") { try await self.findsLinks($0) },
      Case("only one of 50 concurrent uses of a link succeeds, and none after it expires") { try await self.consumesOnce($0) },
      Case("links are removed by account and purpose, with their account, and when they expire") {
        try await self.removesLinks($0)
      },
      Case("accounts are found by verified email address, regardless of case") { try await self.findsVerified($0) },
      Case("unexpired messages are claimed in the order of their next attempts, and not again before their retry time") {
        try await self.claimsMail($0)
      },
      Case("each of 20 messages is claimed by only one of 40 concurrent callers") { try await self.claimsOnce($0) },
      Case("a sensitive change to an account with an email address queues a mail in the same transaction") {
        try await self.notifies($0)
      },
    ]
  }

  private static let account = AccountID(rawValue: "account")

  private static func findsLinks(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let links = [AccountLinkRecord.example(1), .example(2, for: .emailVerification, email: "ada@example.com")]
    try await store.write { (tx) throws(StoreError) in for link in links { try tx.insert(link) } }
    let found = try await store.read { (snapshot) throws(StoreError) in
      [try snapshot.accountLink(.example(1)), try snapshot.accountLink(.example(2)), try snapshot.accountLink(.example(3))]
    }
    try expect(found, is: links + [nil], "the links")
    try await expectError(.conflict, "adding the same token again") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(AccountLinkRecord.example(1)) }
    }
    try await expectError(.conflict, "adding a link of an unknown account") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(AccountLinkRecord.example(3, account: "nobody")) }
    }
  }

  private static func consumesOnce(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountLinkRecord.example(1))
      try tx.insert(AccountLinkRecord.example(2))
      try check(
        !tx.consumeAccountLink(.example(2), at: .start + .seconds(600), keepingUntil: .start + .seconds(900)),
        "an expired link must not be consumed")
      try check(!tx.consumeAccountLink(.example(3), at: .start, keepingUntil: .start), "an unknown link must not be consumed")
    }
    let successes = try await concurrentSuccesses(of: 50) { _ in
      try await store.write { (tx) throws(StoreError) in
        try tx.consumeAccountLink(.example(1), at: .start + .seconds(599), keepingUntil: .start + .seconds(900))
      }
    }
    try expect(successes, is: 1, "uses that succeeded")
    let consumed = try await store.read { (snapshot) throws(StoreError) in try snapshot.accountLink(.example(1)) }
    try expect(consumed?.consumedAt, is: .start + .seconds(599), "the time of the use")
    try expect(consumed?.expiresAt, is: .start + .seconds(900), "the extended expiration of the used link")
  }

  private static func removesLinks(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    func remaining() async throws(StoreError) -> [Int] {
      try await store.read { (snapshot) throws(StoreError) in
        var found: [Int] = []
        for number in 1...7 where try snapshot.accountLink(.example(number)) != nil { found.append(number) }
        return found
      }
    }
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example("other", username: "ben"))
      // Links 6 and 7 contain an email address, which means that they were mailed. Link 7 is used.
      try tx.insert(AccountLinkRecord.example(1))
      try tx.insert(AccountLinkRecord.example(2, for: .invitation))
      try tx.insert(AccountLinkRecord.example(3, account: "other"))
      try tx.insert(AccountLinkRecord.example(4, account: "other", expiresAt: .start + .seconds(1)))
      try tx.insert(AccountLinkRecord.example(5, for: .emailVerification))
      try tx.insert(AccountLinkRecord.example(6, email: "ada@example.com"))
      try tx.insert(AccountLinkRecord.example(7, email: "ada@example.com"))
      try check(tx.consumeAccountLink(.example(7), at: .start, keepingUntil: .start), "the link must be consumed")
      try tx.removeAccountLinks(of: self.account, for: .passwordReset, onlyUnusedMail: true)
    }
    try await expect(remaining(), is: [1, 2, 3, 4, 5, 7], "links after removing unused links that were mailed")
    try await store.write { (tx) throws(StoreError) in
      try tx.removeAccountLinks(of: self.account, for: .passwordReset, onlyUnusedMail: false)
    }
    try await expect(remaining(), is: [2, 3, 4, 5], "links after removing the links for a password reset")
    _ = try await store.removeExpired(before: .start + .seconds(2), limit: 100)
    try await expect(remaining(), is: [2, 3, 5], "links after one has expired")
    try await store.write { (tx) throws(StoreError) in
      try tx.removeAccountLinks(of: self.account, for: nil, onlyUnusedMail: false)
    }
    try await expect(remaining(), is: [3], "links after removing all links of one account")
    _ = try await store.write { (tx) throws(StoreError) in
      try tx.removeAccount(AccountID(rawValue: "other"), tx.recordExample())
    }
    try await expect(remaining(), is: [], "links after removing their account")
  }

  private static func findsVerified(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let found = try await store.write { (tx) throws(StoreError) -> [[String]] in
      var verified = try AccountRecord.example("verified", username: "ben")
      (verified.emailVerifiedAt, verified.createdAt) = (.start, .start + .seconds(1))
      try tx.insert(verified)
      try check(
        tx.setProfile(name: nil, email: "ADA@example.com", emailVerifiedAt: .start + .seconds(5), of: self.account),
        "changing an account must return true")
      try check(tx.account(self.account)?.emailVerifiedAt == .start + .seconds(5), "the time of the verification must be stored")
      try tx.insert(AccountRecord.example("unverified", username: "cat"))
      return try [("ada@Example.com", 5), ("ada@example.com", 1), ("ben@example.com", 5)].map {
        (email, limit) throws(StoreError) in
        try tx.accounts(withVerifiedEmail: email, limit: limit).map(\.id.rawValue)
      }
    }
    try expect(found, is: [["account", "verified"], ["account"], []], "the accounts with a verified address")
  }

  private static func claimsMail(_ harness: Harness) async throws {
    let store = try await harness.open()
    let mails = [
      MailRecord.example(1, dueAt: .start + .seconds(2)), .example(2, dueAt: .start + .seconds(1)),
      .example(3, expiresAt: .start + .seconds(5)), .example(4, dueAt: .start + .seconds(90)),
    ]
    try await store.write { (tx) throws(StoreError) in for mail in mails { try tx.insert(mail) } }
    let (all, next) = try await store.read { (snapshot) throws(StoreError) in (try snapshot.mails(), try snapshot.nextMailTime())
    }
    try expect(all, is: [mails[2], mails[1], mails[0], mails[3]], "the messages in the order of their next attempts")
    try expect(next, is: .start, "the time of the next attempt")
    let now = Timestamp.start + .seconds(10)
    let claimed = try await store.write { (tx) throws(StoreError) in
      try (0..<3).map { (_) throws(StoreError) in try tx.claimMail(retry: now + .seconds(60), at: now) }
    }
    var (first, second) = (mails[1], mails[0])
    (first.attempts, first.dueAt, second.attempts, second.dueAt) = (1, now + .seconds(60), 1, now + .seconds(60))
    try expect(
      claimed, is: [first, second, nil], "the claimed messages; message 3 has expired, and message 4 is not due yet")
    let results = try await store.write { [id = first.id, other = second.id] (tx) throws(StoreError) -> [Bool] in
      try tx.postponeMail(id, to: now + .seconds(5))
      return [try tx.removeMail(other), try tx.removeMail(other)]
    }
    try expect(results, is: [true, false], "removing a message twice")
    let reclaimed = try await store.write { (tx) throws(StoreError) in
      try tx.claimMail(retry: now + .seconds(90), at: now + .seconds(5))
    }
    try expect(reclaimed?.attempts, is: 2, "the attempts of the postponed message")
    _ = try await store.removeExpired(before: .start + .seconds(6), limit: 100)
    let remaining = try await store.read { (snapshot) throws(StoreError) in try snapshot.mails().map(\.id) }
    try expect(remaining, is: [mails[3].id, mails[1].id], "the remaining messages")
  }

  private static func claimsOnce(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.open(), try await harness.open())
    try await firstStore.write { (tx) throws(StoreError) in
      for number in 1...20 { try tx.insert(MailRecord.example(number)) }
    }
    let claims = try await concurrentSuccesses(of: 40) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        try tx.claimMail(retry: .start + .seconds(60), at: .start + .seconds(1)) != nil
      }
    }
    try expect(claims, is: 20, "claims that succeeded")
    let attempts = try await firstStore.read { (snapshot) throws(StoreError) in try Set(snapshot.mails().map(\.attempts)) }
    try expect(attempts, is: [1], "the numbers of attempts of the messages")
  }

  private static func notifies(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    // Only the first record queues a mail. A sign-in is not a sensitive change, the account `nobody` does not exist,
    // the account has no email address when the passkey is added, and the second transaction is rolled back.
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AuditRecord(.passwordChanged, account: self.account, from: .command, at: .start))
      try tx.insert(AuditRecord(.signedIn, account: self.account, from: .command, at: .start))
      try tx.insert(AuditRecord(.passwordChanged, account: AccountID(rawValue: "nobody"), from: .command, at: .start))
      _ = try tx.setProfile(name: nil, email: nil, emailVerifiedAt: nil, of: self.account)
      try tx.insert(AuditRecord(.passkeyAdded, account: self.account, from: .command, at: .start))
    }
    try await expectError(.rolledBack, "the transaction") {
      try await store.write { (tx) throws(StoreError) in
        _ = try tx.setProfile(name: nil, email: "ada@example.com", emailVerifiedAt: nil, of: self.account)
        try tx.insert(AuditRecord(.passkeyRemoved, account: self.account, from: .command, at: .start))
        throw .rolledBack
      }
    }
    let mails = try await store.read { (snapshot) throws(StoreError) in try snapshot.mails() }
    try expect(mails.map(\.recipient), is: ["ada@example.com"], "the recipients of the queued messages")
    try expect(mails.first?.sealedLink, is: nil, "the link of a notification")
  }
}

extension AccountLinkRecord {
  static func example(
    _ number: Int, account: String = "account", for purpose: Purpose = .passwordReset, email: String? = nil,
    expiresAt: Timestamp = .start + .seconds(600)
  ) -> AccountLinkRecord {
    AccountLinkRecord(
      fingerprint: .example(number), purpose: purpose, account: AccountID(rawValue: account), email: email, createdAt: .start,
      expiresAt: expiresAt)
  }
}

extension MailRecord {
  static func example(
    _ number: Int, dueAt: Timestamp = .start, expiresAt: Timestamp = .start + .seconds(3_600)
  ) -> MailRecord {
    MailRecord(
      id: "mail \(number)", recipient: "ada@example.com", content: "{}", sealedLink: number.isMultiple(of: 2) ? [0, 255] : nil,
      createdAt: .start, dueAt: dueAt, expiresAt: expiresAt)
  }
}
