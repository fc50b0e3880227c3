import SallyportProtocol

extension StoreTransaction {
  /// Makes room for one more client with this origin, which must not be ``ClientRecord/Origin/operator``.
  ///
  /// If there are `maximum` such clients or more, removes some of those that have never obtained a grant, beginning
  /// with the ones whose leases expire first. A lease is the time for which the server keeps a client that is not used.
  /// Anonymous callers therefore cannot use up the space permanently by registering clients (rule S-42).
  /// - Returns: Whether there is room now. False if too few clients could be removed.
  mutating func makeRoom(
    for origin: ClientRecord.Origin, within maximum: Int, at now: Timestamp
  ) throws(StoreError) -> Bool {
    let surplus = try self.countClients(origin) - maximum + 1
    guard surplus > 0 else { return true }
    // The surplus exceeds one only if the operator has lowered the limit. The number of clients to remove is limited,
    // so that no registration takes long.
    let evicted = try self.clientsWithoutGrant(origin, limit: min(surplus, 100))
    for client in evicted { _ = try self.remove(client, .evicted, from: .server, at: now) }
    return evicted.count == surplus
  }
}
