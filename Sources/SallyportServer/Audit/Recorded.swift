/// Proof that a change stands in the audit trail: a transaction takes nobody's rights away without one.
///
/// Only ``StoreTransaction/record(_:)`` makes it, and it cannot leave the body of its transaction, whose result can be copied. One record
/// may stand for several changes: a sign-out ends a session with its grants.
public struct Recorded: ~Copyable {
  fileprivate init() {}
}

extension StoreTransaction {
  /// Adds a record to the audit trail, in the transaction of the change that it tells.
  public mutating func record(_ record: AuditRecord) throws(StoreError) -> Recorded {
    try self.insert(record)
    return Recorded()
  }
}
