public import SallyportProtocol

/// What can be read. Look-ups return ended rows too: whoever cannot see a consumed code cannot see its replay.
public protocol StoreSnapshot {
  // Accounts
  func account(_ id: AccountID) throws(StoreError) -> AccountRecord?
  /// - Parameter username: compared in its normalised form, see ``Username``.
  func account(named username: Username) throws(StoreError) -> AccountRecord?
  /// All accounts by name.
  func accounts() throws(StoreError) -> [AccountRecord]

  // Clients
  func client(_ id: ClientID) throws(StoreError) -> ClientRecord?
  func clients() throws(StoreError) -> [ClientRecord]
  /// How many clients came in this way: for quotas.
  func countClients(_ origin: ClientRecord.Origin) throws(StoreError) -> Int
  func clientLease(_ id: ClientID) throws(StoreError) -> ClientLeaseRecord?
  /// Clients that came in this way and never obtained a grant: none exists, and their lease was not used after they were added. The one whose
  /// lease ends first comes first; a client whose lease never ends, or that has none, is not among them.
  func clientsWithoutGrant(_ origin: ClientRecord.Origin, limit: Int) throws(StoreError) -> [ClientID]
  func initialAccessTokens() throws(StoreError) -> [InitialAccessTokenRecord]
  /// Grows with every change of any client or key, by any process: who caches them compares it.
  func configurationVersion() throws(StoreError) -> Int64

  // Keys
  /// All signing keys that were not yet removed, oldest first.
  func signingKeys() throws(StoreError) -> [SigningKeyRecord]

  // Browser sessions and consents
  func browserSession(_ fingerprint: Fingerprint) throws(StoreError) -> BrowserSessionRecord?
  /// A session and whose it is.
  func browserSessionAndAccount(
    _ fingerprint: Fingerprint
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord)?
  /// What was agreed to, one record for each set of resources.
  func consents(account: AccountID, client: ClientID, redirectURI: String) throws(StoreError) -> [ConsentRecord]

  // Back-channel logout
  func sessionClients(ofSession sessionID: String) throws(StoreError) -> [SessionClientRecord]
  func sessionClients(of account: AccountID) throws(StoreError) -> [SessionClientRecord]
  /// What is still to be delivered, the next due first.
  func logoutDeliveries() throws(StoreError) -> [LogoutDeliveryRecord]

  // Interactions
  /// Whether ``StoreTransaction/burnInteraction(_:expires:)`` was called for it and it has not been removed since.
  func isInteractionBurned(_ id: String) throws(StoreError) -> Bool

  // Grants, codes, refresh tokens
  func grant(_ id: GrantID) throws(StoreError) -> GrantRecord?
  /// The person whom a grant speaks for; nil where it was revoked or has ended, or the account is disabled.
  func holder(of grant: GrantID, at now: Timestamp) throws(StoreError) -> GrantHolder?
  func authorizationCode(
    _ fingerprint: Fingerprint, of grant: GrantID
  ) throws(StoreError) -> Granted<AuthorizationCodeRecord>?
  /// - Parameter id: what the token says of itself; nil for one that was issued before they said it.
  func refreshToken(
    _ fingerprint: Fingerprint, _ id: RefreshTokenID?
  ) throws(StoreError) -> Granted<RefreshTokenRecord>?
  /// The grants that a person gave in one of their browser sessions and that are not revoked.
  func grants(of account: AccountID, inSession sessionID: String) throws(StoreError) -> [GrantRecord]

  // Pushed requests, devices, identifiers
  func pushedRequest(_ fingerprint: Fingerprint) throws(StoreError) -> PushedRequestRecord?
  func deviceAuthorization(_ fingerprint: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord?
  func deviceAuthorization(userCode: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord?
  /// Whether ``StoreTransaction/useIdentifier(_:expires:)`` was called for it and it has not been removed since.
  func isIdentifierUsed(_ identifier: Fingerprint) throws(StoreError) -> Bool
  /// How often something was tried in the window that `now` is in.
  func attempts(_ key: Fingerprint, at now: Timestamp) throws(StoreError) -> Int

  // Audit trail
  func auditRecords(_ query: AuditQuery) throws(StoreError) -> [AuditRecord]
}

/// What can be read and written in one transaction.
///
/// What takes somebody's rights away asks for the proof that it is recorded, which a store has no use for.
public protocol StoreTransaction: StoreSnapshot {
  // Accounts
  /// - Throws: ``StoreError/conflict`` where the name or id is taken.
  mutating func insert(_ account: AccountRecord) throws(StoreError)
  /// - Returns: whether there is such an account.
  mutating func setPasswordHash(
    _ hash: String, of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool
  /// Replaces a hash by another of the same password.
  /// - Returns: whether the account had the old hash.
  mutating func renewPasswordHash(_ old: String, by new: String, of account: AccountID) throws(StoreError) -> Bool
  /// Disables or (nil) enables an account.
  mutating func setDisabled(
    _ at: Timestamp?, account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool

  // Clients; each change raises the configuration version.
  /// - Throws: ``StoreError/conflict`` where the id is taken.
  mutating func insert(_ client: ClientRecord) throws(StoreError)
  /// Replaces what is known of a client, all but its identifier, origin and age.
  /// - Returns: whether there is such a client.
  mutating func update(_ client: ClientRecord) throws(StoreError) -> Bool
  /// Removes a client with everything that was granted to it.
  mutating func removeClient(_ id: ClientID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool

  // What goes with clients and is no configuration
  /// Adds or replaces.
  mutating func put(_ lease: ClientLeaseRecord) throws(StoreError)
  mutating func insert(_ token: InitialAccessTokenRecord) throws(StoreError)
  /// Takes one use of a token. True only while it has one and has not expired.
  mutating func useInitialAccessToken(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) -> Bool
  mutating func removeInitialAccessToken(
    _ fingerprint: Fingerprint, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool

  // Keys; each change raises the configuration version.
  mutating func insert(_ key: SigningKeyRecord) throws(StoreError)
  /// Sets when a key stops signing and when it is forgotten, which is later than it leaves the JWKS; a time already set is not moved to a later one.
  mutating func retireSigningKey(
    _ id: String, at retired: Timestamp, removedAt: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool

  // Browser sessions
  mutating func insert(_ session: BrowserSessionRecord) throws(StoreError)
  mutating func touchBrowserSession(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError)
  /// - Returns: true for exactly one caller.
  mutating func endBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool
  mutating func endBrowserSessions(
    of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError)

  // Back-channel logout
  /// Adds a client to a session; one that is there already stays for the longer time.
  mutating func put(_ client: SessionClientRecord) throws(StoreError)
  /// Keeps a session's clients at least until that time.
  mutating func extendSessionClients(ofSession sessionID: String, to expiry: Timestamp) throws(StoreError)
  mutating func removeSessionClients(ofSession sessionID: String) throws(StoreError)
  mutating func insert(_ delivery: LogoutDeliveryRecord) throws(StoreError)
  /// Takes the delivery that has been due for longest, counts the attempt, and makes it due again at `retry`, in case that nothing is
  /// heard of it.
  /// - Parameters:
  ///   - isStrangers: of a client that no operator registered; otherwise, of one that an operator did.
  ///   - busy: clients whose deliveries are left alone.
  mutating func claimLogoutDelivery(
    isStrangers: Bool, except busy: [ClientID], retry: Timestamp, at now: Timestamp
  ) throws(StoreError) -> LogoutDeliveryRecord?
  mutating func postponeLogoutDelivery(_ id: String, to due: Timestamp) throws(StoreError)
  /// - Returns: whether there was one.
  mutating func removeLogoutDelivery(_ id: String) throws(StoreError) -> Bool

  // Interactions
  /// Marks an interaction as decided. True for exactly one caller.
  mutating func burnInteraction(_ id: String, expires: Timestamp) throws(StoreError) -> Bool

  // Consents
  /// Adds or widens what was agreed to for the same resources: the scope kept is the union.
  mutating func remember(_ consent: ConsentRecord) throws(StoreError)

  // Grants, codes, refresh tokens
  mutating func insert(_ grant: GrantRecord) throws(StoreError)
  /// Ends a grant with its code and refresh tokens. A revoked grant stays revoked with its first reason.
  /// - Returns: whether it was not revoked before.
  @discardableResult
  mutating func revokeGrant(
    _ id: GrantID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool
  mutating func revokeGrants(
    of account: AccountID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError)

  /// Binds a grant to a key. True where it is bound to this key now, false where it was bound to another or there is none.
  mutating func bindGrant(_ id: GrantID, to thumbprint: String) throws(StoreError) -> Bool

  /// - Throws: ``StoreError/conflict`` where the grant has a code: the schema allows one.
  mutating func insert(_ code: AuthorizationCodeRecord) throws(StoreError)
  /// One statement: true for exactly one caller, and only while the code's grant is not revoked.
  mutating func consumeAuthorizationCode(of grant: GrantID, at now: Timestamp) throws(StoreError) -> Bool
  /// Counts a failed redemption of a grant's code and returns the count.
  mutating func countFailedRedemption(of grant: GrantID) throws(StoreError) -> Int

  /// - Throws: ``StoreError/conflict`` where the grant has tokens, unless the last of them was replaced and this one has the next number:
  ///   the schema allows one that is live. Also where the grant is revoked.
  mutating func insert(_ token: RefreshTokenRecord) throws(StoreError)
  /// Marks a token as replaced. A copy of its successor stays, sealed, for the lost-reply window.
  ///
  /// One statement: true for exactly one caller, and only while the token is live and its grant is not revoked.
  mutating func consumeRefreshToken(
    _ id: RefreshTokenID, sealedSuccessor: [UInt8], at now: Timestamp
  ) throws(StoreError) -> Bool
  /// Deletes the sealed copy of the token's successor.
  mutating func forgetSealedSuccessor(of id: RefreshTokenID) throws(StoreError)

  // Pushed requests
  mutating func insert(_ request: PushedRequestRecord) throws(StoreError)

  // Devices
  /// - Throws: ``StoreError/conflict`` where a fingerprint repeats, of the user code too.
  mutating func insert(_ device: DeviceAuthorizationRecord) throws(StoreError)
  /// Notes a poll and the interval that holds from now on.
  mutating func notePoll(of fingerprint: Fingerprint, interval: Int, at now: Timestamp) throws(StoreError)
  /// One statement: true for exactly one caller.
  mutating func decide(
    _ decision: DeviceAuthorizationRecord.Decision, onDevice fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool
  /// One statement: true for exactly one caller, and only where the person has allowed it.
  mutating func consumeDeviceAuthorization(
    _ fingerprint: Fingerprint, as grant: GrantID, at now: Timestamp
  ) throws(StoreError) -> Bool
  /// Removes the device authorizations that an account has approved and that have not been redeemed yet.
  ///
  /// Redeemed ones stay, so that a replayed device code can still be recognized.
  mutating func removeDeviceApprovals(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError)

  // Identifiers and attempts
  /// Marks something as used that may be used once: the `jti` of a proof or an assertion. True for exactly one caller.
  mutating func useIdentifier(_ identifier: Fingerprint, expires: Timestamp) throws(StoreError) -> Bool
  /// Counts an attempt. The first one opens a window; what comes after its end opens another.
  /// - Returns: how many there were in this window, this one included.
  mutating func countAttempt(_ key: Fingerprint, window: Duration, at now: Timestamp) throws(StoreError) -> Int

  // Audit trail: records are added, and go when they are old. Nothing changes one.
  mutating func insert(_ record: AuditRecord) throws(StoreError)
  /// Removes at most `limit` records that were made before `time`, the oldest first.
  /// - Returns: how many were removed.
  mutating func removeAuditRecords(before time: Timestamp, limit: Int) throws(StoreError) -> Int
}
