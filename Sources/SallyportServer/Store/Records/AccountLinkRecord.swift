public import SallyportProtocol

/// A one-time link that lets the holder change an account, for example set a new password.
public struct AccountLinkRecord: Sendable, Equatable {
  /// What the link is for. The raw values are stored.
  public enum Purpose: String, Sendable, CaseIterable {
    /// Choose the first password of an account.
    case invitation
    /// Choose a new password.
    case passwordReset = "password-reset"
    /// Confirm an email address.
    case emailVerification = "email-verification"
  }

  /// The fingerprint of the token in the link.
  public var fingerprint: Fingerprint
  public var purpose: Purpose
  public var account: AccountID
  /// The email address to which the link was sent; nil if the link was not mailed.
  public var email: String?
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  public var consumedAt: Timestamp?

  public init(
    fingerprint: Fingerprint, purpose: Purpose, account: AccountID, email: String? = nil, createdAt: Timestamp,
    expiresAt: Timestamp, consumedAt: Timestamp? = nil
  ) {
    self.fingerprint = fingerprint
    self.purpose = purpose
    self.account = account
    self.email = email
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.consumedAt = consumedAt
  }
}
