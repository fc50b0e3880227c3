public import SallyportProtocol

/// A device that waits for a person to sign in elsewhere, RFC 8628.
public struct DeviceAuthorizationRecord: Sendable, Equatable {
  /// What the person decided.
  public enum Decision: Sendable, Equatable {
    /// - Parameters:
    ///   - account: who allowed it.
    ///   - authenticatedAt: when that person had last proved who they are.
    ///   - sessionID: the browser session in which it happened.
    case allowed(account: AccountID, authenticatedAt: Timestamp, sessionID: String?)
    case denied
  }

  /// Of the `device_code`.
  public var fingerprint: Fingerprint
  /// Of the `user_code`, without hyphens and in upper case.
  public var userCode: Fingerprint
  public var client: ClientID
  public var scope: Scope
  public var resources: [String]
  /// The thumbprint of the DPoP key of the request, where it had one.
  public var boundKey: String?
  /// The shortest time between two polls, in seconds; grows with `slow_down`.
  public var interval: Int
  public var lastPolledAt: Timestamp?
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  public var decision: Decision?
  public var decidedAt: Timestamp?
  /// When tokens were issued for it.
  public var consumedAt: Timestamp?
  /// The grant that it became.
  public var grant: GrantID?

  public init(
    fingerprint: Fingerprint, userCode: Fingerprint, client: ClientID, scope: Scope, resources: [String] = [],
    boundKey: String? = nil, interval: Int, createdAt: Timestamp, expiresAt: Timestamp
  ) {
    self.fingerprint = fingerprint
    self.userCode = userCode
    self.client = client
    self.scope = scope
    self.resources = resources
    self.boundKey = boundKey
    self.interval = interval
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
