public import SallyportProtocol

/// The authenticator app of an account, which shows time-based one-time passwords (TOTP, RFC 6238). An account has at
/// most one.
public struct TOTPRecord: Sendable, Equatable {
  public var account: AccountID
  /// The secret that the server shares with the app, encrypted with a key derived from the master key.
  public var sealedSecret: [UInt8]
  /// The number of the 30-second time step whose code was accepted last. Codes of this and of earlier steps are never
  /// accepted again (RFC 6238 §5.2).
  public var lastStep: Int64
  public var createdAt: Timestamp
  /// Nil if the app has not been used since it was added.
  public var lastUsedAt: Timestamp?

  public init(account: AccountID, sealedSecret: [UInt8], lastStep: Int64, createdAt: Timestamp, lastUsedAt: Timestamp? = nil) {
    self.account = account
    self.sealedSecret = sealedSecret
    self.lastStep = lastStep
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }
}

/// A recovery code of an account, which can be used once in place of another second factor.
public struct RecoveryCodeRecord: Sendable, Equatable {
  public var account: AccountID
  /// The HMAC with SHA-256 of the account identifier and the code, under a key derived from the master key.
  public var fingerprint: Fingerprint
  public var createdAt: Timestamp
  /// Nil if the code has not been used.
  public var usedAt: Timestamp?

  public init(account: AccountID, fingerprint: Fingerprint, createdAt: Timestamp, usedAt: Timestamp? = nil) {
    self.account = account
    self.fingerprint = fingerprint
    self.createdAt = createdAt
    self.usedAt = usedAt
  }
}
