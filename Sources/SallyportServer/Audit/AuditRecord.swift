public import SallyportProtocol

/// One line of the audit trail. It holds names of things and never a credential, nor a text that came with a request: whoever types a
/// password into the field of the name must not find it here.
public struct AuditRecord: Sendable, Equatable {
  /// Sorts by ``at``.
  public var id: String
  public var at: Timestamp
  public var event: AuditEvent
  public var reason: AuditReason?
  public var origin: AuditOrigin
  /// Nil too where somebody tried a name that there is not.
  public var account: AccountID?
  /// Nil too where somebody named a client that there is not.
  public var client: ClientID?
  public var grant: GrantID?
  /// ``BrowserSessionRecord/id``.
  public var session: String?
  /// What else it is about, by its public name: a key's identifier, an initial access token's label.
  public var subject: String?
  /// Refusals of this event and reason, besides, that were only counted, since there were too many in one minute.
  public var more: Int

  /// - Parameter id: nil for a new one.
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

  private static let began = ContinuousClock.now

  /// Records that one process makes in the same millisecond stay in their order too.
  private static func newID(at now: Timestamp) -> String {
    let (seconds, attoseconds) = self.began.duration(to: .now).components
    let order = OrderedID.hexadecimal(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, width: 16)
    return "\(OrderedID.bound(now))-\(order)-\(RandomText.base64URL(bits: 64))"
  }

  /// Every identifier of a record made at this time or later sorts after it, and of an earlier one before.
  public static func bound(_ time: Timestamp) -> String {
    OrderedID.bound(time)
  }
}
