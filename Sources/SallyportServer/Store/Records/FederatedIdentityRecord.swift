public import SallyportProtocol

/// A user's identity at an upstream, which is connected with an account. The issuer and the subject together identify
/// the user (OpenID Connect Core §5.7).
public struct FederatedIdentityRecord: Sendable, Equatable {
  /// The `iss` of the ID tokens.
  public var issuer: String
  /// The `sub` of the ID tokens.
  public var subject: String
  public var account: AccountID
  /// The user name or email address at the provider when the identity was connected. It helps the user recognize the
  /// identity. The server does not use it to identify the user.
  public var label: String?
  public var createdAt: Timestamp
  /// Nil if the user has not signed in with the identity since it was connected.
  public var lastUsedAt: Timestamp?

  public init(
    issuer: String, subject: String, account: AccountID, label: String? = nil, createdAt: Timestamp, lastUsedAt: Timestamp? = nil
  ) {
    self.issuer = issuer
    self.subject = subject
    self.account = account
    self.label = label
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }
}
