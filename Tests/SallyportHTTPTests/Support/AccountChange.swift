import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// A change to an account by an operator. It ends the account's sessions, and revokes everything that the account
/// granted.
enum AccountChange: String, CaseIterable, Sendable {
  case passwordChanged, disabled

  func apply(to username: String, in site: Site) async throws {
    let accounts = site.fixture.server.accounts
    switch self {
    case .passwordChanged: try await accounts.setPassword(Secret(TestServer.otherPassword), of: username)
    case .disabled: try await accounts.disable(username)
    }
  }

  /// Changes only the account's row, as if the revocation had missed the account's grants.
  func applyWithoutRevocation(to username: String, in site: Site) async throws {
    let (now, change) = (site.fixture.clock.now, self)
    let account = try #require(try await site.fixture.server.accounts.account(named: Username(username)))
    try await site.fixture.store.write { (tx) throws(StoreError) in
      // The store requires an audit record of a change, but does not check the event of the record.
      let recorded = try tx.record(AuditRecord(.passwordChanged, account: account.id, from: .command, at: now))
      switch change {
      case .passwordChanged: _ = try tx.setPasswordHash(account.passwordHash, of: account.id, at: now, recorded)
      case .disabled: _ = try tx.setDisabled(now, account: account.id, recorded)
      }
    }
  }
}
