import ArgumentParser
import Foundation
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("sallyportd user factors")
struct UserFactorsTests {
  private static let issuer = "https://corp.example"

  /// Creates a data directory in which `ada` has identities with these subjects at the issuer.
  private func withIdentities(_ subjects: [String], _ body: (_ path: String, Accounts) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "sallyport-factors-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let accounts = try await User.Factors.parse(["ada", "--data", path]).data.accounts()
    let (account, now) = (AccountID.random(), Timestamp.now())
    let record = AccountRecord(
      id: account, username: try #require(Username("ada")), passwordHash: AccountRecord.noPassword, passwordChangedAt: now,
      name: nil, email: nil, createdAt: now)
    try await DataDirectory(path: path).store.write { (tx) throws(StoreError) in
      try tx.insert(record)
      for subject in subjects {
        try tx.insert(FederatedIdentityRecord(issuer: Self.issuer, subject: subject, account: account, createdAt: now))
      }
    }
    try await body(path, accounts)
  }

  private func run(_ options: [String], _ path: String) async throws {
    try await User.Factors.parse(["ada", "--data", path] + options).run()
  }

  @Test("the JSON of a user and of the user's factors has the names that other commands use")
  func names() throws {
    let (id, now) = (AccountID.random(), Timestamp.now())
    let account = AccountRecord(
      id: id, username: try #require(Username("ada")), passwordHash: "x", passwordChangedAt: now, createdAt: now)
    let passkey = PasskeyRecord(
      id: [1], account: id, relyingPartyID: "localhost", publicKey: [], aaguid: Array(repeating: 0, count: 16),
      signatureCount: 0, isBackupEligible: false, isBackedUp: false, name: "Phone", createdAt: now)
    let identity = FederatedIdentityRecord(issuer: Self.issuer, subject: "one", account: id, createdAt: now)
    let factors = User.Factors.Result(account, [passkey], nil, [], [identity])
    func names(_ value: some Encodable) throws -> [String] {
      try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any]).keys.sorted()
    }
    #expect(try names(User.Row(account)) == ["disabled", "email_verified", "sub", "username"])
    #expect(try names(factors) == ["identities", "passkeys", "password_changed"])
    #expect(try factors.passkeys.map(names) == [["attested", "backed_up", "created", "id", "name"]])
    #expect(try factors.identities.map(names) == [["created", "issuer", "sub"]])
  }

  @Test("--disconnect removes the only identity at a provider, and with --subject, one of several identities")
  func disconnects() async throws {
    try await self.withIdentities(["one"]) { path, accounts in
      try await self.run(["--disconnect", Self.issuer], path)
      #expect(try await accounts.federatedIdentities(of: "ada").isEmpty)
    }
    try await self.withIdentities(["one", "two"]) { path, accounts in
      try await self.run(["--disconnect", Self.issuer, "--subject", "two"], path)
      #expect(try await accounts.federatedIdentities(of: "ada").map(\.subject) == ["one"])
    }
  }

  @Test(
    "an identity that is missing or ambiguous is an error, and nothing changes",
    arguments: [
      (["--disconnect", "https://other.example"], #"no identity at "https://other.example""#),
      (["--disconnect", "https://corp.example"], "specify one with --subject"),
      (["--disconnect", "https://corp.example", "--subject", "x"], #"no identity with the subject "x""#),
      (["--subject", "one"], "--subject requires --disconnect"),
      (["--remove", "totp", "--disconnect", "https://corp.example"], "cannot be combined"),
    ] as [([String], String)])
  func rejected(_ options: [String], _ reason: String) async throws {
    try await self.withIdentities(["one", "two"]) { path, accounts in
      do {
        try await self.run(options, path)
        Issue.record("\(options) was accepted")
      } catch {
        let message = (error as? Failure)?.message ?? User.Factors.message(for: error)
        #expect(message.contains(reason))
      }
      let remaining = try await accounts.federatedIdentities(of: "ada")
      #expect(remaining.count == 2)
    }
  }
}
