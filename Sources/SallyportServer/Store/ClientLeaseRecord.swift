public import SallyportProtocol

/// For how long a client that registered itself stays, and when it was last used.
///
/// It rests apart from the client, since it changes with use and the registration does not.
public struct ClientLeaseRecord: Sendable, Equatable {
  public var client: ClientID
  public var lastUsedAt: Timestamp
  /// A client without grants goes after this time; nil for never.
  public var expiresAt: Timestamp?

  public init(client: ClientID, lastUsedAt: Timestamp, expiresAt: Timestamp? = nil) {
    self.client = client
    self.lastUsedAt = lastUsedAt
    self.expiresAt = expiresAt
  }
}
