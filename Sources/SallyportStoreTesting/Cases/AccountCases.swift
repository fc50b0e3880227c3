import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var accountCases: [Case] {
    [
      Case("an account is found by identifier and by user name") { try await self.findsAccounts($0) },
      Case("user names and identifiers are unique, and user names are compared without regard to case and Unicode composition") {
        try await self.keepsUsernamesUnique($0)
      },
      Case("accounts are listed in the order of user names") { try await self.listsAccounts($0) },
      Case("a new password is stored with the time of the change, and a new hash of the same password keeps this time") {
        try await self.changesPasswords($0)
      },
      Case("an account is disabled and enabled") { try await self.disablesAccounts($0) },
    ]
  }

  private static func findsAccounts(_ harness: Harness) async throws {
    let store = try await harness.open()
    var account = try AccountRecord.example()
    account.disabledAt = .start + .milliseconds(1)
    var minimal = try AccountRecord.example("minimal", username: "minimal")
    (minimal.name, minimal.email) = (nil, nil)
    try await store.write { [account, minimal] (tx) throws(StoreError) in
      try tx.insert(account)
      try tx.insert(minimal)
    }
    let found = try await store.read { (snapshot) throws(StoreError) in
      [
        try snapshot.account(AccountID(rawValue: "account")), try snapshot.account(named: AccountRecord.example().username),
        try snapshot.account(AccountID(rawValue: "minimal")), try snapshot.account(AccountID(rawValue: "ACCOUNT")),
      ]
    }
    try expect(
      found, is: [account, account, minimal, nil],
      "accounts by identifier, by user name, without a name, by an identifier in uppercase")
  }

  private static func keepsUsernamesUnique(_ harness: Harness) async throws {
    let store = try await harness.open()
    try await store.write { (tx) throws(StoreError) in try tx.insert(AccountRecord.example(username: "zo\u{EB}")) }
    let attempts = [
      ("other", "zo\u{EB}"), ("other", "ZO\u{CB}"), ("other", "zoe\u{308}"), ("other", " zo\u{EB} "), ("account", "ben"),
    ]
    // The first four attempts repeat the user name. The last one repeats the identifier "account" of `example`.
    for (id, username) in attempts {
      try await expectError(.conflict, "id \(id), name \(username.debugDescription)") {
        try await store.write { (tx) throws(StoreError) in try tx.insert(AccountRecord.example(id, username: username)) }
      }
    }
    let found = try await store.read { (snapshot) throws(StoreError) in
      try snapshot.account(named: AccountRecord.example(username: "ZOE\u{308}").username)?.id.rawValue
    }
    try expect(found, is: "account", "the account found by the decomposed form of its user name")
    // Without the diaeresis, this is another user name, so no error is thrown.
    try await store.write { (tx) throws(StoreError) in try tx.insert(AccountRecord.example("other", username: "zoe")) }
  }

  private static func listsAccounts(_ harness: Harness) async throws {
    let store = try await harness.open()
    try await store.write { (tx) throws(StoreError) in
      for (id, name) in [("1", "carl"), ("2", "ada"), ("3", "ben")] {
        try tx.insert(AccountRecord.example(id, username: name))
      }
    }
    let names = try await store.read { (snapshot) throws(StoreError) in
      try snapshot.accounts(after: nil, limit: 1_000).map(\.username.value)
    }
    try expect(names, is: ["ada", "ben", "carl"], "names")
    let pages = try await store.read { (snapshot) throws(StoreError) in
      [
        try snapshot.accounts(after: nil, limit: 2), try snapshot.accounts(after: Username("ada"), limit: 2),
        try snapshot.accounts(after: Username("b"), limit: 2), try snapshot.accounts(after: Username("carl"), limit: 2),
      ].map { $0.map(\.username.value) }
    }
    try expect(pages, is: [["ada", "ben"], ["ben", "carl"], ["ben", "carl"], []], "pages of names")
  }

  private static func changesPasswords(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let id = AccountID(rawValue: "account")
    let results = try await store.write { (tx) throws(StoreError) in
      [
        try tx.setPasswordHash("$new$", of: id, at: .start + .seconds(5), tx.recordExample()),
        try tx.setPasswordHash("$new$", of: AccountID(rawValue: "nobody"), at: .start, tx.recordExample()),
      ]
    }
    try expect(results, is: [true, false], "whether the account existed")
    let account = try await store.read { (snapshot) throws(StoreError) in try snapshot.account(id) }
    try expect(account?.passwordHash, is: "$new$", "the hash")
    try expect(account?.passwordChangedAt, is: .start + .seconds(5), "the time of the change")
    // `renewPasswordHash` replaces the old hash only if the account still has it.
    let renewed = try await store.write { (tx) throws(StoreError) in
      [
        try tx.renewPasswordHash("$old$", by: "$lost$", of: id), try tx.renewPasswordHash("$new$", by: "$same$", of: id),
        try tx.renewPasswordHash("$new$", by: "$lost$", of: id),
      ]
    }
    try expect(renewed, is: [false, true, false], "whether the hash was replaced")
    let updatedAccount = try await store.read { (snapshot) throws(StoreError) in try snapshot.account(id) }
    try expect(updatedAccount?.passwordHash, is: "$same$", "the hash")
    try expect(updatedAccount?.passwordChangedAt, is: .start + .seconds(5), "the time of the last change, which stays the same")
  }

  private static func disablesAccounts(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    let id = AccountID(rawValue: "account")
    let times = try await store.write { (tx) throws(StoreError) in
      try check(tx.setDisabled(.start, account: id, tx.recordExample()), "disabling an account must return true")
      let disabled = try tx.account(id)?.disabledAt
      try check(tx.setDisabled(nil, account: id, tx.recordExample()), "enabling an account must return true")
      try check(
        !tx.setDisabled(nil, account: AccountID(rawValue: "nobody"), tx.recordExample()),
        "enabling an unknown account must return false")
      return [disabled, try tx.account(id)?.disabledAt]
    }
    try expect(times, is: [.start, nil], "disabled, then enabled")
  }
}
