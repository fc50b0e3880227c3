public import SallyportProtocol

/// A record of the audit trail. It names users and clients only by their identifiers and never contains a credential.
/// User names from requests are left out, because a user may type a password into the user name field.
public struct AuditRecord: Sendable, Equatable {
  /// A unique identifier that sorts by ``at``.
  public var id: String
  public var at: Timestamp
  public var event: AuditEvent
  public var reason: AuditReason?
  public var origin: AuditOrigin
  /// The account; nil if the event concerns no account, or the user name in the request does not exist.
  public var account: AccountID?
  /// The client; nil if the event concerns no client, or the client ID in the request does not exist.
  public var client: ClientID?
  public var grant: GrantID?
  /// The ``BrowserSessionRecord/id`` of the session.
  public var session: String?
  /// What else the event concerns, for example a key ID, an upstream's identifier or issuer, or the label of an initial
  /// access token. For ``AuditEvent/upstreamChanged``, the names of the changed settings follow, with spaces in
  /// between.
  public var subject: String?
  /// The number of rejected attempts with the same event and reason that were only counted, because there were too many
  /// within one minute.
  public var more: Int

  /// - Parameter id: The identifier; nil to create a new one.
  public init(
    _ event: AuditEvent, _ reason: AuditReason? = nil, account: AccountID? = nil, client: ClientID? = nil,
    grant: GrantID? = nil, session: String? = nil, subject: String? = nil, more: Int = 0, from origin: AuditOrigin,
    at now: Timestamp, id: String? = nil
  ) {
    self.id = id ?? Self.newID(at: now)
    self.at = now
    self.event = event
    self.reason = reason
    self.origin = origin
    self.account = account
    self.client = client
    self.grant = grant
    self.session = session
    self.subject = subject
    self.more = more
  }

  /// When this process created its first record. Identifiers contain the time since then.
  private static let firstRecordTime = ContinuousClock.now

  /// Returns an identifier that preserves the order of records that one process creates within the same millisecond.
  private static func newID(at now: Timestamp) -> String {
    let (seconds, attoseconds) = self.firstRecordTime.duration(to: .now).components
    let order = OrderedID.hexadecimal(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, width: 16)
    return "\(OrderedID.lowerBound(now))-\(order)-\(RandomText.base64URL(bits: 64))"
  }

  /// Returns a prefix that sorts before the identifiers of all records from this time on, and after the identifiers of
  /// earlier records.
  public static func lowerBound(_ time: Timestamp) -> String {
    OrderedID.lowerBound(time)
  }
}
