import SallyportProtocol

extension InstanceRegistration {
  /// The store key of the registration. Programs with different software identifiers have separate registrations. If
  /// the metadata contains no software identifier, the client name identifies the program.
  private var key: TokenStoreKey {
    TokenStoreKey(
      kind: "registration", issuer: self.issuer.value, clientID: self.metadata.softwareID ?? self.metadata.clientName ?? "")
  }

  /// The stored registration, or `nil` if there is none.
  func stored() async throws(TokenStoreError) -> InstanceRecord? {
    // A record that is damaged or cannot be decoded counts as missing, because none of it can be used.
    try await self.store.loadUndamaged(self.key).flatMap(InstanceRecord.decode)
  }

  /// Whether the registration matches the app's metadata and configuration, and the registered secret has not expired.
  private func isCurrent(_ record: InstanceRecord) -> Bool {
    record.requested == self.metadata && record.loopbackHost == self.server.loopbackHost?.rawValue
      && !record.isExpired(at: self.now())
  }

  /// Returns the stored registration if it is up to date. Otherwise registers the app, or updates the registration.
  func upToDateRecord() async throws -> InstanceRecord {
    if let stored = try await self.stored(), self.isCurrent(stored) { return stored }
    return try await self.withRecord { stored in
      // Another process may have stored or updated the registration in the meantime.
      if let stored, self.isCurrent(stored) { return (stored, stored) }
      let record: InstanceRecord
      if let stored {
        record = try await self.updated(stored)
      } else {
        record = try await self.register()
      }
      return (record, record)
    }
  }

  /// Runs `body` with the stored record while holding the record's lease.
  /// - Parameter body: Returns the record to store, and the result of this method. If it returns no record, the stored
  ///   record is removed.
  func withRecord<R: Sendable>(
    _ body: @Sendable (InstanceRecord?) async throws -> (InstanceRecord?, R)
  ) async throws -> R {
    try await self.store.withLease(on: self.key) {
      let stored = try await self.stored()
      let (record, result) = try await body(stored)
      if let record {
        try await self.store.save(record.encoded(), for: self.key)
      } else if stored != nil {
        try await self.store.remove(self.key)
      }
      return result
    }
  }
}
