import Sallyport
import SallyportProtocol

/// Client secrets, which are kept in the token store.
enum StoredClientSecret {
  /// The secret of an account. A damaged secret counts as missing, so that the user can sign out.
  static func stored(for account: Account, in store: some TokenStore) async throws(CommandFailure) -> Secret<String>? {
    do {
      return try await store.loadUndamaged(self.key(account)).map { Secret(String(decoding: $0.reveal(), as: UTF8.self)) }
    } catch {
      throw CommandFailure(error)
    }
  }

  static func save(_ secret: Secret<String>, for account: Account, in store: some TokenStore) async throws(CommandFailure) {
    do {
      try await store.save(Secret(Array(secret.reveal().utf8)), for: self.key(account))
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Removes the secret of an account that was removed from the ``AccountBook``, unless a remaining account uses the
  /// same secret. All accounts of a client share its secret.
  static func remove(for account: Account, in store: some TokenStore) async throws(CommandFailure) {
    let remainingAccounts = try await AccountBook(store).accounts()
    guard account.hasSecret, !remainingAccounts.contains(where: { $0.hasSecret && self.key($0) == self.key(account) })
    else { return }
    do {
      try await store.remove(self.key(account))
    } catch {
      throw CommandFailure(error)
    }
  }

  private static func key(_ account: Account) -> TokenStoreKey {
    TokenStoreKey(kind: "client-secret", issuer: account.issuer.value, clientID: account.clientID)
  }
}
