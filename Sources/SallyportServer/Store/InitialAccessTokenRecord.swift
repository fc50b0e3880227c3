public import SallyportProtocol

/// A token with which somebody may register clients, RFC 7591 §1.2.
public struct InitialAccessTokenRecord: Sendable, Equatable {
  public var fingerprint: Fingerprint
  /// What the operator calls it.
  public var label: String
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  /// Registrations that it is still good for.
  public var remainingUses: Int

  public init(fingerprint: Fingerprint, label: String, createdAt: Timestamp, expiresAt: Timestamp, remainingUses: Int) {
    self.fingerprint = fingerprint
    self.label = label
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.remainingUses = remainingUses
  }
}
