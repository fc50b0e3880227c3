public import SallyportProtocol

/// A client that a person was signed in to in one browser session, and that wants to hear when the session ends.
public struct SessionClientRecord: Sendable, Equatable {
  /// ``BrowserSessionRecord/id``.
  public var sessionID: String
  public var client: ClientID
  public var account: AccountID
  /// When the session ends at the latest.
  public var expiresAt: Timestamp

  public init(sessionID: String, client: ClientID, account: AccountID, expiresAt: Timestamp) {
    self.sessionID = sessionID
    self.client = client
    self.account = account
    self.expiresAt = expiresAt
  }
}

/// A logout token that a client has still to get, OpenID Connect Back-Channel Logout §2.5.
///
/// It is written in the transaction that ends the session, so that no crash loses it, and goes when the client has answered.
public struct LogoutDeliveryRecord: Sendable, Equatable {
  /// The token's `jti`, the same at each attempt.
  public var id: String
  public var client: ClientID
  public var account: AccountID
  public var sessionID: String
  /// How often it was tried.
  public var attempts: Int
  /// When it is tried next.
  public var dueAt: Timestamp
  /// When it is given up.
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
