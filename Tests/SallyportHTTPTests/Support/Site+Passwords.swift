import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

extension Site {
  /// A password that is too short for an account without a second factor. An account can have such a password if it was
  /// set under an earlier policy.
  static let weakPassword = "correct horse"

  /// Sets the password of `ada`, without checking it against the policy.
  /// - Parameter hash: The hash to store; nil for a hash of `password`.
  func useWeakPassword(_ password: String = Site.weakPassword, hash: String? = nil) async throws {
    let account = try #require(try await self.fixture.server.accounts.account(named: Username("ada")))
    let newHash = if let hash { hash } else { try await TestPasswordHasher().hash(Secret(password)) }
    try await self.fixture.store.write { (tx) throws(StoreError) in
      _ = try tx.renewPasswordHash(account.passwordHash, by: newHash, of: account.id)
    }
  }
}
