import SallyportProtocol

/// What the account page shows to a user, read in one snapshot of the store.
package struct AccountOverview: Sendable {
  package let session: BrowserSessions.Active
  /// The browsers in which the user is signed in: the browser of the request, and then the others, most recently seen
  /// first.
  package let browsers: [BrowserSessionRecord]
  /// Oldest first.
  package let passkeys: [PasskeyRecord]
  /// The apps with access, sorted by name.
  package let apps: [AppAccess]
  /// The security activity of the ``activityPeriod``, newest first. Contains at most 200 records.
  package let activity: [AccountActivity]

  /// How far back the activity goes.
  package static var activityPeriod: Duration { .seconds(90 * 86_400) }
  /// The maximum number of records of the activity.
  private static var maximumActivity: Int { 200 }

  /// - Parameter idle: How long a browser session is valid if it is not used.
  init(
    _ tx: borrowing any StoreSnapshot, _ session: BrowserSessions.Active, idle: Duration, at now: Timestamp
  ) throws(StoreError) {
    let account = session.account.id
    let current = session.record.fingerprint
    self.session = session
    self.browsers = try tx.browserSessions(of: account).filter { $0.isValid(at: now, idle: idle) }
      .sorted { ($0.fingerprint == current ? 1 : 0, $0.lastSeenAt) > ($1.fingerprint == current ? 1 : 0, $1.lastSeenAt) }
    self.passkeys = try tx.passkeys(of: account)
    let grants = try tx.grants(of: account).filter { now < $0.grant.expiresAt }
    let consents = try tx.consents(of: account)
    var query = AuditQuery(limit: Self.maximumActivity)
    query.account = account
    query.since = now - Self.activityPeriod
    let records = try tx.auditRecords(query)

    var clients: [ClientID: ClientRecord] = [:]
    for id in Set(grants.map(\.grant.client) + consents.map(\.client) + records.compactMap(\.client)) {
      clients[id] = try tx.client(id)
    }
    self.apps = Set(grants.map(\.grant.client) + consents.map(\.client)).compactMap { id in
      clients[id].map { client in
        AppAccess(
          client: client, grants: grants.filter { $0.grant.client == id }, consents: consents.filter { $0.client == id })
      }
    }
    .sorted { ($0.client.name.lowercased(), $0.client.id.rawValue) < ($1.client.name.lowercased(), $1.client.id.rawValue) }
    self.activity = records.map { record in
      AccountActivity(record: record, client: record.client.flatMap { clients[$0] })
    }
  }
}

/// A record of the audit trail that concerns a user.
package struct AccountActivity: Sendable {
  package let record: AuditRecord
  /// The client that the record names; nil if it names none, or if the client was removed.
  package let client: ClientRecord?
}
