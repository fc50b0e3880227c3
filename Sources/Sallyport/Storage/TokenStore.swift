public import SallyportProtocol

/// Stores tokens between runs, in the platform's secret store or an equally secure place (rule C-22).
///
/// A store keeps one opaque value for each key. ``withLease(on:_:)`` makes a refresh a single transaction across tasks
/// and processes: reading, requesting, and storing happen under one lease.
public protocol TokenStore: Sendable {
  /// Returns the value for `key`, or `nil` if there is none.
  func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>?
  /// Replaces the value for `key` atomically: after a crash, either the old or the new value is stored.
  func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError)
  /// Removes the value for `key`, if there is one.
  func remove(_ key: TokenStoreKey) async throws(TokenStoreError)
  /// Runs `body` while holding the lease on `key`, which excludes all other tasks and processes of the same user.
  ///
  /// Waits until the lease is free. When a process exits, its leases are released. The lease is not reentrant: `body`
  /// must not take the lease on `key` again.
  /// - Throws: The error that `body` throws, ``TokenStoreError``, or `CancellationError` if the task is canceled while
  ///   it waits.
  func withLease<R: Sendable>(
    on key: TokenStoreKey, _ body: @Sendable () async throws -> R
  ) async throws -> R
}

extension TokenStore {
  /// Returns the value for `key`, or `nil` if there is none or if it is damaged, for example because the key of an
  /// encrypted file was lost. The next save replaces a damaged value.
  package func loadUndamaged(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    do {
      return try await self.load(key)
    } catch .damaged {
      return nil
    }
  }
}

/// Identifies a stored value.
public struct TokenStoreKey: Hashable, Sendable {
  /// The kind of value, for example `grant` for the tokens of a session, or `pending` for sign-ins in progress.
  public var kind: String
  /// The issuer identifier, or an empty string for values that belong to no issuer.
  public var issuer: String
  /// The client identifier, or an empty string for values that belong to no client.
  public var clientID: String
  /// The name that the app gives to one of several accounts, or `nil` for the unnamed account.
  public var account: String?

  /// Creates a key. The properties with the same names describe the parameters.
  public init(kind: String, issuer: String, clientID: String, account: String? = nil) {
    self.kind = kind
    self.issuer = issuer
    self.clientID = clientID
    self.account = account
  }
}

/// Why a token store failed. Never contains stored data.
public enum TokenStoreError: Error, Equatable, Sendable {
  /// The store doesn't exist on this machine, or it is locked.
  case unavailable(reason: String)
  /// The stored data cannot be read, for example because the file is damaged or encrypted with another key.
  case damaged(reason: String)
  /// A file or folder of the store has the wrong type (for example, a symbolic link), belongs to another user, or is
  /// accessible to other users.
  case unsafePermissions(path: String)
  /// The operation failed for another reason.
  case failed(reason: String)
}
