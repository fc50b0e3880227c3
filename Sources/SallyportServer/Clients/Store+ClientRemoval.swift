package import SallyportProtocol

extension Store {
  /// Removes a client with everything that was granted to it.
  ///
  /// A client can have more grants than one transaction can remove in its time. The first transaction therefore also
  /// disables the client: it takes away the redirect URIs and grant types, so the server rejects every request for a
  /// code or a token. If the removal is interrupted, the client stays disabled, and another removal completes this one.
  /// - Parameter limit: The number of rows after which another transaction begins.
  /// - Returns: Whether the client existed.
  package func removeClient(
    _ id: ClientID, from origin: AuditOrigin, at now: Timestamp, limit: Int = 1_000
  ) async throws(StoreError) -> Bool {
    var exists = false
    while true {
      let progress = try await self.write { (tx) throws(StoreError) -> ClientRemovalProgress in
        guard let client = try tx.client(id) else { return .none }
        if !client.isDisabled { _ = try tx.update(client.disabled) }
        var removed = 0
        while removed < limit {
          let count = try tx.removeGrantsAndConsents(ofDisabled: id, limit: limit)
          if count == 0 { return try tx.remove(id, from: origin, at: now) ? .complete : .none }
          removed += count
        }
        // The record of the removal follows in the last transaction.
        if !client.isDisabled { try tx.insert(AuditRecord(.clientChanged, client: id, from: origin, at: now)) }
        return .partial
      }
      switch progress {
      case .none: return exists
      case .complete: return true
      case .partial: exists = true
      }
    }
  }
}

/// What a transaction of ``Store/removeClient(_:from:at:limit:)`` did.
private enum ClientRemovalProgress: Sendable { case none, partial, complete }

extension ClientRecord {
  fileprivate var isDisabled: Bool { self.grantTypes.isEmpty }

  /// The client without the rights to get tokens, to introspect them, to be notified, and to change its registration.
  fileprivate var disabled: ClientRecord {
    var client = self
    client.redirectURIs = []
    client.grantTypes = []
    client.registrationToken = nil
    client.details = ClientDetails()
    return client
  }
}
