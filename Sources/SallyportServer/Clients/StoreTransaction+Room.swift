import SallyportProtocol

extension StoreTransaction {
  /// Makes room for one more client that no operator registered.
  ///
  /// At the maximum, removes the oldest clients that have never obtained a grant, so that registrations by anyone
  /// cannot use up the space permanently (rule S-42).
  /// - Returns: Whether there is room now. If too few clients can be removed, there is not.
  mutating func makeRoom(
    for origin: ClientRecord.Origin, within maximum: Int, at now: Timestamp
  ) throws(StoreError) -> Bool {
    let surplus = try self.countClients(origin) - maximum + 1
    guard surplus > 0 else { return true }
    // The surplus exceeds one only if the operator has lowered the limit. It is bounded so that no registration takes
    // long.
    let evicted = try self.clientsWithoutGrant(origin, limit: min(surplus, 100))
    for client in evicted { _ = try self.remove(client, .evicted, from: .server, at: now) }
    return evicted.count == surplus
  }
}
