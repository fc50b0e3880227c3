public import SallyportProtocol

/// How long a client that no operator registered is kept, and when it was last used.
///
/// The lease is stored separately from the registration, because it changes each time the client obtains a grant.
public struct ClientLeaseRecord: Sendable, Equatable {
  public var client: ClientID
  public var lastUsedAt: Timestamp
  /// The time at which the client is removed unless it has grants; nil if the lease does not expire.
  public var expiresAt: Timestamp?

  public init(client: ClientID, lastUsedAt: Timestamp, expiresAt: Timestamp? = nil) {
    self.client = client
    self.lastUsedAt = lastUsedAt
    self.expiresAt = expiresAt
  }
}
