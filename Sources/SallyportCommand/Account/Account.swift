#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Sallyport
import SallyportProtocol

/// An issuer and a client: what `token`, `whoami` and `logout` are about.
struct Account: Codable, Equatable {
  var issuer: Issuer
  var clientID: String

  private static let key = TokenStoreKey(kind: "account", issuer: "", clientID: "")

  /// The account that was signed in to last.
  static func last(in store: some TokenStore) async throws(CommandFailure) -> Account? {
    do {
      guard let stored = try await store.load(self.key) else { return nil }
      return try? JSONDecoder().decode(Account.self, from: Data(stored.reveal()))
    } catch {
      throw CommandFailure(.failed, error.words)
    }
  }

  func remember(in store: some TokenStore) async throws(CommandFailure) {
    do {
      let bytes = Array((try? JSONEncoder().encode(self)) ?? Data())
      try await store.save(Secret(bytes), for: Self.key)
    } catch {
      throw CommandFailure(.failed, error.words)
    }
  }

  /// Forgets the last account, if it is this one.
  func forget(in store: some TokenStore) async throws(CommandFailure) {
    guard try await Self.last(in: store) == self else { return }
    do {
      try await store.remove(Self.key)
    } catch {
      throw CommandFailure(.failed, error.words)
    }
  }
}
