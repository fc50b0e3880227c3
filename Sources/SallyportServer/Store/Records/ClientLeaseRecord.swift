public import SallyportProtocol

/// How long a client that no operator registered is kept, and when the client was last used.
///
/// The lease is stored separately from the registration, because it changes each time the client obtains a grant.
public struct ClientLeaseRecord: Sendable, Equatable {
  public var client: ClientID
  /// The time at which the client last obtained a grant; if it has never obtained one, the time at which it was added.
  public var lastUsedAt: Timestamp
  /// The time at which the client is removed unless it has grants; nil if the lease does not expire.
  public var expiresAt: Timestamp?

  public init(client: ClientID, lastUsedAt: Timestamp, expiresAt: Timestamp? = nil) {
    self.client = client
    self.lastUsedAt = lastUsedAt
    self.expiresAt = expiresAt
  }
}
