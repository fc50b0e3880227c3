public import SallyportProtocol

/// A device authorization (RFC 8628), which waits for the user's decision or contains it.
public struct DeviceAuthorizationRecord: Sendable, Equatable {
  /// The user's decision.
  public enum Decision: Sendable, Equatable {
    /// - Parameters:
    ///   - account: The user who allowed the sign-in.
    ///   - authenticatedAt: When the user was last authenticated.
    ///   - sessionID: The browser session of the decision.
    ///   - methods: How the user was authenticated (``BrowserSessionRecord/authenticationMethods``).
    case allowed(account: AccountID, authenticatedAt: Timestamp, sessionID: String?, methods: [String])
    case denied
  }

  /// The fingerprint of the `device_code`.
  public var fingerprint: Fingerprint
  /// The keyed fingerprint of the `user_code` (`UserCodeFingerprints`), computed from its uppercase letters without the
  /// hyphen.
  public var userCode: Fingerprint
  public var client: ClientID
  public var scope: Scope
  public var resources: [String]
  /// The thumbprint of the DPoP key to which the code is bound, if any.
  public var jkt: String?
  /// The minimum time between two polls, in seconds. Each `slow_down` increases it.
  public var interval: Int
  public var lastPolledAt: Timestamp?
  public var createdAt: Timestamp
  public var expiresAt: Timestamp
  public var decision: Decision?
  public var decidedAt: Timestamp?
  /// The time at which tokens were issued.
  public var consumedAt: Timestamp?
  /// The grant that was created when the code was redeemed.
  public var grant: GrantID?

  public init(
    fingerprint: Fingerprint, userCode: Fingerprint, client: ClientID, scope: Scope, resources: [String] = [],
    jkt: String? = nil, interval: Int, createdAt: Timestamp, expiresAt: Timestamp
  ) {
    self.fingerprint = fingerprint
    self.userCode = userCode
    self.client = client
    self.scope = scope
    self.resources = resources
    self.jkt = jkt
    self.interval = interval
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
