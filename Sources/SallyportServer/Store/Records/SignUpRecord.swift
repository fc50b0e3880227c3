public import SallyportProtocol

/// A one-time link with which a user creates an account. The account exists only after the user has chosen a user name
/// and a password, so links that are never used reserve no names.
public struct SignUpRecord: Sendable, Equatable {
  /// Who asked for the link. The raw values are stored.
  public enum Kind: String, Sendable, CaseIterable {
    /// A visitor, who gets the link by mail.
    case request
    /// An operator, who delivers the link in another way. The use of the link proves nothing about the email
    /// address.
    case invitation
    /// An operator, and the user gets the link by mail.
    case mailedInvitation = "mailed-invitation"
  }

  /// The fingerprint of the token in the link.
  public var fingerprint: Fingerprint
  public var kind: Kind
  /// The email address of the account.
  public var email: String
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  /// When a browser used the link; nil if none did.
  public var consumedAt: Timestamp?

  public init(
    fingerprint: Fingerprint, kind: Kind, email: String, createdAt: Timestamp, expiresAt: Timestamp,
    consumedAt: Timestamp? = nil
  ) {
    self.fingerprint = fingerprint
    self.kind = kind
    self.email = email
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.consumedAt = consumedAt
  }
}
