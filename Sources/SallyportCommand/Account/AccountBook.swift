#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Sallyport
import SallyportProtocol

/// The accounts on this machine, most recently used first. The list contains no secrets.
struct AccountBook {
  private let store: any TokenStore

  private static let key = TokenStoreKey(kind: "accounts", issuer: "", clientID: "")

  init(_ store: some TokenStore) {
    self.store = store
  }

  func accounts() async throws(CommandFailure) -> [Account] {
    do {
      guard let stored = try await self.store.load(Self.key) else { return [] }
      // An unreadable list counts as empty. The next sign-in creates it again, and no session depends on it.
      return (try? JSONDecoder().decode([Account].self, from: Data(stored.reveal()))) ?? []
    } catch {
      throw CommandFailure(.failed, error.words)
    }
  }

  /// Moves an account to the front of the list.
  /// - Returns: The accounts that it replaced and whose sessions are still in the store.
  @discardableResult
  func remember(_ account: Account) async throws(CommandFailure) -> [Account] {
    try await self.change { accounts in
      let replaced = accounts.filter { $0.isReplaced(by: account) && !$0.sharesSession(with: account) }
      accounts.removeAll { $0.isReplaced(by: account) || $0.sharesSession(with: account) }
      accounts.insert(account, at: 0)
      return replaced
    }
  }

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
      throw CommandFailure(.failed, error.words)
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure(.failed, "The list of accounts could not be saved.")
    }
  }
}
