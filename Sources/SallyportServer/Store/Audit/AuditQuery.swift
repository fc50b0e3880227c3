public import SallyportProtocol

/// A query of the audit trail. A record must match all conditions. A condition that is nil matches every record.
public struct AuditQuery: Sendable, Equatable {
  public enum Order: Sendable { case newestFirst, oldestFirst }

  /// Only records at or after this time match.
  public var since: Timestamp?
  /// Only records before this time match.
  public var until: Timestamp?
  /// By default, all events that this version knows. During an upgrade, a server of a newer version can store others,
  /// which no query returns.
  public var events = Set(AuditEvent.allCases)
  public var account: AccountID?
  public var client: ClientID?
  /// The identifier of a record; only records after it match. Use it with ``Order/oldestFirst`` to read in pages.
  public var after: String?
  public var requestID: String?
  public var address: String?
  public var order = Order.newestFirst
  /// The maximum number of records.
  public var limit: Int

  public init(limit: Int) {
    self.limit = limit
  }
}
