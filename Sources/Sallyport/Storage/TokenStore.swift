public import SallyportProtocol

/// Where grants rest between runs: the platform's secret store, or something as good (rule C-22).
///
/// A store keeps one opaque value for each key. ``withLease(on:_:)`` is what makes a refresh one transaction across threads and
/// processes: read, request and persist happen under one lease.
public protocol TokenStore: Sendable {
  /// The value kept for `key`, or nil.
  func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>?
  /// Replaces the value for `key` as a whole: after a crash either the old or the new one is there.
  func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError)
  /// Removes the value; does nothing where there is none.
  func remove(_ key: TokenStoreKey) async throws(TokenStoreError)
  /// Runs `body` while nobody else, in this or another process of the same user, holds the lease on `key`.
  ///
  /// Waits until the lease is free; the lease of a process that died is free.
  func withLease<R: Sendable>(
    on key: TokenStoreKey, _ body: @Sendable () async throws -> R
  ) async throws -> R
}

/// Names one stored value.
public struct TokenStoreKey: Hashable, Sendable {
  /// What the value is, for example `grant` or `account`.
  public var kind: String
  /// The issuer's identifier; empty for what belongs to no issuer.
  public var issuer: String
  public var clientID: String
  /// The app's own name for one of several accounts; nil for the one without a name.
  public var account: String?

  public init(kind: String, issuer: String, clientID: String, account: String? = nil) {
    self.kind = kind
    self.issuer = issuer
    self.clientID = clientID
    self.account = account
  }
}

/// Why a store did not answer. Never holds what was stored.
public enum TokenStoreError: Error, Equatable, Sendable {
  /// There is no such store here, or it is locked.
  case unavailable(reason: String)
  /// Something is stored that cannot be read: another key, a damaged file.
  case damaged(reason: String)
  /// The store's files or folders can be read or written by others.
  case unsafePermissions(path: String)
  case failed(reason: String)
}
