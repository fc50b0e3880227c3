#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Sallyport
import SallyportProtocol

/// The list of the user's accounts on this machine. The account with the most recent sign-in is first. The list
/// contains no secrets.
struct AccountBook {
  private let store: any TokenStore

  private static let key = TokenStoreKey(kind: "accounts", issuer: "", clientID: "")

  init(_ store: some TokenStore) {
    self.store = store
  }

  /// The listed accounts, even if their sessions are no longer in the store.
  func accounts() async throws(CommandFailure) -> [Account] {
    do {
      guard let stored = try await self.store.loadUndamaged(Self.key) else { return [] }
      // An unreadable list counts as empty. The next sign-in creates it again, and no session depends on it.
      return (try? JSONDecoder().decode([Account].self, from: Data(stored.reveal()))) ?? []
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The accounts with a session in the store: the listed accounts, then the other accounts.
  func signedIn() async throws(CommandFailure) -> [Account] {
    let sessions = try await self.sessions()
    let listedAccounts = try await self.accounts().filter { account in sessions.contains(where: account.uses) }
    return try await listedAccounts + self.unlistedAccounts(sessions)
  }

  /// The accounts of sessions in the store that are not in the list, for example because the process that signed in was
  /// killed before it could update the list.
  func unlistedAccounts() async throws(CommandFailure) -> [Account] {
    try await self.unlistedAccounts(self.sessions())
  }

  private func unlistedAccounts(_ sessions: [StoredSession]) async throws(CommandFailure) -> [Account] {
    let listedAccounts = try await self.accounts()
    var unlisted: [Account] = []
    for session in sessions where !listedAccounts.contains(where: { $0.uses(session) }) {
      guard var account = Account(session) else { continue }
      account.usesOwnRegistration = try await Installation.clientID(at: account.issuer) == account.clientID
      unlisted.append(account)
    }
    return unlisted
  }

  private func sessions() async throws(CommandFailure) -> [StoredSession] {
    do {
      return try await self.store.storedSessions()
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Adds an account to the front of the list, or moves it there.
  /// - Returns: The accounts that `account` replaced and that use another session. The caller can end their sessions.
  @discardableResult
  func remember(_ account: Account) async throws(CommandFailure) -> [Account] {
    try await self.change { accounts in
      let replaced = accounts.filter { $0.isReplaced(by: account) && !$0.sharesSession(with: account) }
      var account = account
      account.isChosen = accounts.contains { $0.isChosen && ($0.isReplaced(by: account) || $0.sharesSession(with: account)) }
      accounts.removeAll { $0.isReplaced(by: account) || $0.sharesSession(with: account) }
      // A sign-in to an account without an API undoes an earlier `sallyport switch` to another account. `account` is
      // not in the list yet, so it keeps its own mark.
      if account.resource == nil { Self.choose(nil, &accounts) }
      accounts.insert(account, at: 0)
      return replaced
    }
  }

  /// Makes an account the default, as `sallyport switch` does. Adds the account to the end of the list if it is not
  /// listed.
  func choose(_ account: Account) async throws(CommandFailure) {
    try await self.change { accounts in
      if !accounts.contains(where: account.sharesSession) { accounts.append(account) }
      Self.choose(account, &accounts)
    }
  }

  /// Marks the chosen account, or none if `account` is `nil`.
  private static func choose(_ account: Account?, _ accounts: inout [Account]) {
    for index in accounts.indices { accounts[index].isChosen = account?.sharesSession(with: accounts[index]) ?? false }
  }

  /// Removes an account from the list. Its session stays in the store.
  func forget(_ account: Account) async throws(CommandFailure) {
    guard try await self.accounts().contains(where: account.sharesSession) else { return }
    try await self.change { $0.removeAll(where: account.sharesSession) }
  }

  private func change<R: Sendable>(
    _ body: @escaping @Sendable (inout [Account]) -> R
  ) async throws(CommandFailure) -> R {
    do {
      return try await self.store.withLease(on: Self.key) {
        var accounts = try await self.accounts()
        let result = body(&accounts)
        try await self.store.save(Secret(Array(try JSONEncoder().encode(accounts))), for: Self.key)
        return result
      }
    } catch let error as TokenStoreError {
      throw CommandFailure(error)
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure(.failed, "The list of accounts could not be saved.")
    }
  }
}
