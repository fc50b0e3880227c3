public import SallyportProtocol

/// An initial access token, which authorizes client registration (RFC 7591 §1.2).
public struct InitialAccessTokenRecord: Sendable, Equatable {
  public var fingerprint: Fingerprint
  /// The operator's name for the token.
  public var label: String
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  /// The number of registrations that are left.
  public var remainingUses: Int

  public init(fingerprint: Fingerprint, label: String, createdAt: Timestamp, expiresAt: Timestamp, remainingUses: Int) {
    self.fingerprint = fingerprint
    self.label = label
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.remainingUses = remainingUses
  }
}
