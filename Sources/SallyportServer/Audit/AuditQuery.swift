public import SallyportProtocol

/// Which records of the audit trail are asked for. All conditions hold together; nil and empty ones ask for nothing.
public struct AuditQuery: Sendable, Equatable {
  public enum Order: Sendable { case newestFirst, oldestFirst }

  /// From this time on.
  public var since: Timestamp?
  /// Before this time.
  public var until: Timestamp?
  public var events: Set<AuditEvent> = []
  public var account: AccountID?
  public var client: ClientID?
  /// Beginning with the one after this record, in the order of identifiers; for reading in parts, with ``Order/oldestFirst``.
  public var after: String?
  public var requestID: String?
  public var address: String?
  public var order = Order.newestFirst
  public var limit: Int

  public init(limit: Int) {
    self.limit = limit
  }
}
