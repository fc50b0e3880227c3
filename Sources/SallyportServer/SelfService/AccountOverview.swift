import SallyportProtocol

/// What the account page shows to a user, read in one snapshot of the store.
package struct AccountOverview: Sendable {
  package let session: BrowserSessions.Active
  /// The browsers in which the user is signed in: the browser of the request, and then the others, most recently seen
  /// first.
  package let browsers: [BrowserSessionRecord]
  /// Oldest first.
  package let passkeys: [PasskeyRecord]
  /// The authenticator app; nil if there is none.
  package let totp: TOTPRecord?
  /// The recovery codes, including used ones.
  package let recoveryCodes: [RecoveryCodeRecord]
  package let factors: AccountFactors
  /// The identities at upstreams, oldest first.
  package let identities: [FederatedIdentityRecord]
  /// The apps with access, sorted by name.
  package let apps: [AppAccess]
  /// The security activity within the ``SelfService/activityPeriod``, newest first: at most 50 records of rejected
  /// sign-ins, and at most 200 others.
  package let activity: [AccountActivity]

  /// The maximum of ``SelfService/activityPeriod``.
  static var maximumActivityPeriod: Duration { .seconds(90 * 86_400) }
  /// The maximum number of records of rejected sign-ins, and of all other records. Anyone who knows a user name can
  /// cause rejected sign-ins, and must not be able to hide other records with them.
  private static var maximumActivity: (rejections: Int, others: Int) { (50, 200) }

  /// - Parameters:
  ///   - idle: How long a browser session is valid if it is not used.
  ///   - activityPeriod: How far back the activity goes.
  init(
    _ tx: borrowing any StoreSnapshot, _ session: BrowserSessions.Active, _ changePolicy: SensitiveChangePolicy, idle: Duration,
    activityPeriod: Duration, at now: Timestamp
  ) throws(StoreError) {
    let account = session.account.id
    let current = session.record.fingerprint
    self.session = session
    self.browsers = try tx.browserSessions(of: account).filter { $0.isValid(at: now, idle: idle) }
      .sorted { ($0.fingerprint == current ? 1 : 0, $0.lastSeenAt) > ($1.fingerprint == current ? 1 : 0, $1.lastSeenAt) }
    self.passkeys = try tx.passkeys(of: account)
    self.totp = try tx.totp(of: account)
    self.recoveryCodes = try tx.recoveryCodes(of: account)
    self.factors = try changePolicy.factors(tx, of: account)
    self.identities = try tx.federatedIdentities(of: account)
    let grants = try tx.grants(of: account).filter { now < $0.grant.expiresAt }
    let consents = try tx.consents(of: account)
    let devices = try tx.deviceApprovals(of: account).filter { now < $0.expiresAt }
    let withAccess = Set(grants.map(\.grant.client) + consents.map(\.client) + devices.map(\.client))
    let records = try Self.activity(tx, of: account, since: now - activityPeriod)

    var clients: [ClientID: ClientRecord] = [:]
    for id in withAccess.union(records.compactMap(\.client)) {
      clients[id] = try tx.client(id)
    }
    self.apps = withAccess.compactMap { id in
      clients[id].map { client in
        AppAccess(
          client: client, grants: grants.filter { $0.grant.client == id }, consents: consents.filter { $0.client == id },
          devices: devices.filter { $0.client == id })
      }
    }
    .sorted { ($0.client.name.lowercased(), $0.client.id.rawValue) < ($1.client.name.lowercased(), $1.client.id.rawValue) }
    self.activity = records.map { record in
      AccountActivity(record: record, client: record.client.flatMap { clients[$0] })
    }
  }

  /// Returns the records of an account, newest first.
  private static func activity(
    _ tx: borrowing any StoreSnapshot, of account: AccountID, since start: Timestamp
  ) throws(StoreError) -> [AuditRecord] {
    var query = AuditQuery(limit: self.maximumActivity.others)
    query.account = account
    query.since = start
    query.events = Set(AuditEvent.allCases).subtracting([.signInRejected])
    let others = try tx.auditRecords(query)
    query.limit = self.maximumActivity.rejections
    query.events = [.signInRejected]
    return try (others + tx.auditRecords(query)).sorted { $0.id > $1.id }
  }
}

/// A record of the audit trail that concerns a user.
package struct AccountActivity: Sendable {
  package let record: AuditRecord
  /// The client that the record names; nil if it names none, or if the client was removed.
  package let client: ClientRecord?
}
