#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Sallyport
import SallyportProtocol

/// The accounts that the person has signed in to on this machine, the last one first. It holds no secret.
struct AccountBook {
  private let store: any TokenStore

  private static let key = TokenStoreKey(kind: "accounts", issuer: "", clientID: "")

  init(_ store: some TokenStore) {
    self.store = store
  }

  func accounts() async throws(CommandFailure) -> [Account] {
    do {
      guard let stored = try await self.store.load(Self.key) else { return [] }
      // What cannot be read is written anew by the next sign-in; no session hangs on it.
      return (try? JSONDecoder().decode([Account].self, from: Data(stored.reveal()))) ?? []
    } catch {
      throw CommandFailure(.failed, error.words)
    }
  }

  /// The account with this name, or the one signed in to last.
  func account(_ profile: ProfileName?) async throws(CommandFailure) -> Account? {
    let accounts = try await self.accounts()
    return profile.map { name in accounts.first { $0.profile == name } } ?? accounts.first
  }

  /// Puts an account first.
  func remember(_ account: Account) async throws(CommandFailure) {
    try await self.change { accounts in
      accounts.removeAll { $0.isReplaced(by: account) }
      accounts.insert(account, at: 0)
    }
  }

  func forget(_ account: Account) async throws(CommandFailure) {
    guard try await self.accounts().contains(account) else { return }
    try await self.change { $0.removeAll { $0 == account } }
  }

  private func change(_ body: @escaping @Sendable (inout [Account]) -> Void) async throws(CommandFailure) {
    do {
      try await self.store.withLease(on: Self.key) {
        var accounts = try await self.accounts()
        body(&accounts)
        try await self.store.save(Secret(Array(try JSONEncoder().encode(accounts))), for: Self.key)
      }
    } catch let error as TokenStoreError {
      throw CommandFailure(.failed, error.words)
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure(.failed, "The list of accounts could not be written.")
    }
  }
}
