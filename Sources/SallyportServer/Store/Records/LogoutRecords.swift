public import SallyportProtocol

/// A client to notify when a browser session ends, because the user signed in to the client in this session.
public struct SessionClientRecord: Sendable, Equatable {
  /// The ``BrowserSessionRecord/id`` of the session.
  public var sessionID: String
  public var client: ClientID
  public var account: AccountID
  /// The absolute expiration of the session.
  public var expiresAt: Timestamp

  public init(sessionID: String, client: ClientID, account: AccountID, expiresAt: Timestamp) {
    self.sessionID = sessionID
    self.client = client
    self.account = account
    self.expiresAt = expiresAt
  }
}

/// A logout token to be sent to a client (OpenID Connect Back-Channel Logout §2.5).
///
/// The record is written in the transaction that ends the session, so that the delivery cannot be lost. It is removed
/// when the delivery is complete, given up, or expired.
public struct LogoutDeliveryRecord: Sendable, Equatable {
  /// The `jti` of the logout token, which is the same for each attempt.
  public var id: String
  public var client: ClientID
  public var account: AccountID
  public var sessionID: String
  /// The number of attempts so far.
  public var attempts: Int
  /// The time of the next attempt.
  public var dueAt: Timestamp
  /// The time at which the server gives up.
  public var expiresAt: Timestamp

  public init(
    id: String, client: ClientID, account: AccountID, sessionID: String, attempts: Int = 0, dueAt: Timestamp,
    expiresAt: Timestamp
  ) {
    self.id = id
    self.client = client
    self.account = account
    self.sessionID = sessionID
    self.attempts = attempts
    self.dueAt = dueAt
    self.expiresAt = expiresAt
  }
}
