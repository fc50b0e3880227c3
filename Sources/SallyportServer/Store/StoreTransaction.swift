public import SallyportProtocol

/// Read and write access to the store within one transaction.
///
/// Methods that revoke access require a ``Recorded`` value, which proves that the caller has added an audit record. A
/// store may ignore the value.
///
/// Where the documentation of a method says "in a single statement", the method must check and change the row at once,
/// so that only one of several concurrent callers succeeds.
public protocol StoreTransaction: StoreSnapshot {
  // Accounts
  /// - Throws: ``StoreError/conflict`` if the user name or identifier exists.
  mutating func insert(_ account: AccountRecord) throws(StoreError)
  /// Replaces the password hash, and sets ``AccountRecord/passwordChangedAt`` to `now`.
  /// - Returns: Whether the account exists.
  mutating func setPasswordHash(
    _ hash: String, of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool
  /// Replaces a password hash with a new hash of the same password. ``AccountRecord/passwordChangedAt`` stays the same.
  /// - Returns: Whether the account had the old hash.
  mutating func renewPasswordHash(_ old: String, by new: String, of account: AccountID) throws(StoreError) -> Bool
  /// Disables an account, or enables it if the time is nil.
  /// - Returns: Whether the account exists.
  mutating func setDisabled(
    _ at: Timestamp?, account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool

  /// Replaces the name and the email address of an account.
  /// - Parameter emailVerifiedAt: When the address was verified; nil for an unverified address.
  /// - Returns: Whether the account exists.
  mutating func setProfile(
    name: String?, email: String?, emailVerifiedAt: Timestamp?, of account: AccountID
  ) throws(StoreError) -> Bool
  /// Sets the language of an account.
  /// - Parameter language: A language tag; nil for the browser's language.
  /// - Returns: Whether the account exists.
  mutating func setLanguage(_ language: String?, of account: AccountID) throws(StoreError) -> Bool
  /// Removes an account with its factors, federated identities, sessions, consents, grants, links, and device
  /// approvals. Queued mail, logout deliveries, and audit records remain.
  /// - Returns: Whether the account existed.
  mutating func removeAccount(_ id: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool

  // One-time links
  /// - Throws: ``StoreError/conflict`` if the fingerprint exists, or the account does not exist.
  mutating func insert(_ link: AccountLinkRecord) throws(StoreError)
  /// Consumes a link that has not expired, in a single statement.
  /// - Parameter end: The record expires at this time at the earliest, so that the user can complete what the link
  ///   began.
  /// - Returns: True for exactly one caller.
  mutating func consumeAccountLink(
    _ fingerprint: Fingerprint, at now: Timestamp, keepingUntil end: Timestamp
  ) throws(StoreError) -> Bool
  /// Removes the links of an account.
  /// - Parameters:
  ///   - purpose: The purpose of the links; nil for all links.
  ///   - onlyUnusedMail: Whether to remove only links that were mailed and have not been used.
  mutating func removeAccountLinks(
    of account: AccountID, for purpose: AccountLinkRecord.Purpose?, onlyUnusedMail: Bool
  ) throws(StoreError)

  // Links for sign-up
  /// - Throws: ``StoreError/conflict`` if the fingerprint exists.
  mutating func insert(_ signUp: SignUpRecord) throws(StoreError)
  /// Consumes a link for sign-up that has not expired, in a single statement.
  /// - Parameter end: The record expires at this time at the earliest, so that the user can complete what the link
  ///   began.
  /// - Returns: True for exactly one caller.
  mutating func consumeSignUp(
    _ fingerprint: Fingerprint, at now: Timestamp, keepingUntil end: Timestamp
  ) throws(StoreError) -> Bool
  /// Removes a link for sign-up, in a single statement.
  /// - Returns: True for exactly one caller.
  mutating func removeSignUp(_ fingerprint: Fingerprint) throws(StoreError) -> Bool

  // Mail
  mutating func insert(_ mail: MailRecord) throws(StoreError)
  /// Claims the message that has been due the longest and has not expired, and counts the attempt.
  /// - Parameter retry: When the message becomes due again if the attempt is not completed.
  /// - Returns: Nil if there is no such message.
  mutating func claimMail(retry: Timestamp, at now: Timestamp) throws(StoreError) -> MailRecord?
  mutating func postponeMail(_ id: String, to time: Timestamp) throws(StoreError)
  /// - Returns: Whether the message existed.
  mutating func removeMail(_ id: String) throws(StoreError) -> Bool

  // Passkeys
  /// - Throws: ``StoreError/conflict`` if the credential ID exists, or the account does not exist.
  mutating func insert(_ passkey: PasskeyRecord) throws(StoreError)
  /// Stores the signature counter, the backup eligibility, and the backup state of a passkey that was used, in a single
  /// statement.
  ///
  /// The counter of a passkey that was stored as eligible for backup need not increase, because each device may have
  /// its own counter. The larger value is stored.
  /// - Returns: False if the passkey does not exist, or if the counter of any other passkey did not increase, unless
  ///   the stored and the new value are both zero (Web Authentication Level 3 §6.1.1, §7.2 step 22).
  mutating func usePasskey(
    _ id: [UInt8], signatureCount: Int64, isBackupEligible: Bool, isBackedUp: Bool, at now: Timestamp
  ) throws(StoreError) -> Bool
  /// - Returns: Whether the account has this passkey.
  mutating func renamePasskey(_ id: [UInt8], of account: AccountID, to name: String) throws(StoreError) -> Bool
  /// - Returns: Whether the account had this passkey.
  mutating func removePasskey(
    _ id: [UInt8], of account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool

  // Second factors
  /// - Throws: ``StoreError/conflict`` if the account already has an authenticator app, or does not exist.
  mutating func insert(_ totp: TOTPRecord) throws(StoreError)
  /// Stores the time step of a code that is about to be accepted, in a single statement.
  /// - Returns: True for at most one caller for each step; false if this or a later step was accepted before.
  mutating func useTOTP(of account: AccountID, step: Int64, at now: Timestamp) throws(StoreError) -> Bool
  /// - Returns: Whether the account had an authenticator app.
  mutating func removeTOTP(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool
  /// Replaces all recovery codes of an account.
  /// - Parameter fingerprints: The fingerprints of the new codes; empty to remove all codes.
  mutating func replaceRecoveryCodes(
    of account: AccountID, with fingerprints: [Fingerprint], at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError)
  /// Marks a recovery code as used, in a single statement.
  /// - Returns: True for exactly one caller.
  mutating func useRecoveryCode(
    _ fingerprint: Fingerprint, of account: AccountID, at now: Timestamp
  ) throws(StoreError) -> Bool

  // Upstreams. Each change to an upstream increments the configuration version.
  /// - Throws: ``StoreError/conflict`` if the identifier exists.
  mutating func insert(_ upstream: UpstreamRecord) throws(StoreError)
  /// Replaces an upstream, except for its identifier and creation time.
  /// - Returns: Whether the upstream exists.
  mutating func update(_ upstream: UpstreamRecord) throws(StoreError) -> Bool
  /// Removes an upstream. The identities that users have connected remain.
  /// - Returns: Whether the upstream existed.
  mutating func removeUpstream(_ id: String, _ recorded: borrowing Recorded) throws(StoreError) -> Bool
  /// - Throws: ``StoreError/conflict`` if an identity with this issuer and subject exists, or the account does not
  ///   exist.
  mutating func insert(_ identity: FederatedIdentityRecord) throws(StoreError)
  /// Stores when the user last signed in with an identity.
  /// - Returns: Whether the identity exists.
  mutating func useFederatedIdentity(issuer: String, subject: String, at now: Timestamp) throws(StoreError) -> Bool
  /// - Returns: Whether the account had this identity.
  mutating func removeFederatedIdentity(
    issuer: String, subject: String, of account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool
  mutating func insert(_ request: UpstreamRequestRecord) throws(StoreError)
  /// Consumes a request that has not expired, in a single statement.
  /// - Returns: True for exactly one caller.
  mutating func consumeUpstreamRequest(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) -> Bool

  // Clients. Each change increments the configuration version.
  /// - Throws: ``StoreError/conflict`` if the identifier exists.
  mutating func insert(_ client: ClientRecord) throws(StoreError)
  /// Replaces a client, except for its identifier, origin, and creation time.
  /// - Returns: Whether the client exists.
  mutating func update(_ client: ClientRecord) throws(StoreError) -> Bool
  /// Removes a client with its grants, consents, lease, pending requests, and logout deliveries. Audit records remain.
  /// - Returns: Whether the client existed.
  mutating func removeClient(_ id: ClientID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool
  /// Removes some grants of a client with their codes and refresh tokens. If the client has no grants, removes some of
  /// its consents. Removes nothing if the client may use a grant type. A client without grant types is disabled, so the
  /// grants give no access.
  /// - Parameter limit: The maximum number of refresh tokens, of grants, and of consents to remove.
  /// - Returns: The number of removed grants, refresh tokens, and consents; 0 if none are left.
  mutating func removeGrantsAndConsents(ofDisabled client: ClientID, limit: Int) throws(StoreError) -> Int

  // Data of clients that does not change the configuration version
  /// Adds or replaces a lease, which says how long a client that no operator registered is kept.
  mutating func put(_ lease: ClientLeaseRecord) throws(StoreError)
  mutating func insert(_ token: InitialAccessTokenRecord) throws(StoreError)
  /// Counts one use of a token.
  /// - Returns: False if the token has no uses left, has expired, or does not exist.
  mutating func useInitialAccessToken(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) -> Bool
  /// - Returns: Whether the token existed.
  mutating func removeInitialAccessToken(
    _ fingerprint: Fingerprint, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool

  // Keys. Each change increments the configuration version.
  mutating func insert(_ key: SigningKeyRecord) throws(StoreError)
  /// Sets when a key stops signing, and from when it is no longer kept. A time that is already set is never postponed.
  /// - Returns: Whether the key exists.
  mutating func retireSigningKey(
    _ id: String, at retired: Timestamp, removedAt: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool

  // Browser sessions
  mutating func insert(_ session: BrowserSessionRecord) throws(StoreError)
  /// Sets the time at which a session was last seen. Does nothing if the stored time is later, or if the session has
  /// ended or does not exist.
  mutating func touchBrowserSession(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError)
  /// Checks a session that was read before the transaction.
  ///
  /// A store may first assume that the check succeeds, and perform it when the transaction commits. If the check then
  /// fails, the store runs the transaction's body again.
  /// - Parameter limit: The session must have been last seen after this time.
  /// - Returns: Whether the session exists, has neither ended nor expired, and was seen after `limit`.
  mutating func confirmBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, seenAfter limit: Timestamp
  ) throws(StoreError) -> Bool
  /// - Returns: True for exactly one caller.
  mutating func endBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool
  mutating func endBrowserSessions(
    of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError)

  // Back-channel logout
  /// Adds a client to a session. If the session already has this client, the later of the two expirations is kept.
  mutating func put(_ client: SessionClientRecord) throws(StoreError)
  /// Extends the expiration of a session's clients to at least this time.
  mutating func extendSessionClients(ofSession sessionID: String, to expiry: Timestamp) throws(StoreError)
  mutating func removeSessionClients(ofSession sessionID: String) throws(StoreError)
  mutating func insert(_ delivery: LogoutDeliveryRecord) throws(StoreError)
  /// Claims the delivery that has been due the longest, and counts the attempt. The delivery may have expired. The
  /// caller then removes it and records that the client was not notified, so ``Store/removeExpired(before:limit:)``
  /// removes no deliveries.
  /// - Parameters:
  ///   - isDynamic: True for clients that no operator registered, false for operators' clients.
  ///   - busy: Clients whose deliveries are skipped.
  ///   - retry: When the delivery becomes due again if the attempt is not completed.
  /// - Returns: Nil if there is no such delivery.
  mutating func claimLogoutDelivery(
    isDynamic: Bool, except busy: [ClientID], retry: Timestamp, at now: Timestamp
  ) throws(StoreError) -> LogoutDeliveryRecord?
  mutating func postponeLogoutDelivery(_ id: String, to time: Timestamp) throws(StoreError)
  /// - Returns: Whether the delivery existed.
  mutating func removeLogoutDelivery(_ id: String) throws(StoreError) -> Bool

  // Interactions
  /// Consumes an interaction.
  /// - Parameter expires: When the entry can be removed.
  /// - Returns: True for exactly one caller.
  mutating func consumeInteraction(_ id: String, expires: Timestamp) throws(StoreError) -> Bool

  // Consents
  /// Stores a consent. If the account already has a consent for the same client, redirect URI, and resources, the scope
  /// becomes the union of both scopes, and the time becomes the later one.
  mutating func remember(_ consent: ConsentRecord) throws(StoreError)
  /// Checks a consent that was read before the transaction. As with ``confirmBrowserSession(_:at:seenAfter:)``, a store
  /// may perform the check when the transaction commits.
  /// - Returns: Whether the consent exists and is unchanged.
  mutating func confirm(_ consent: ConsentRecord) throws(StoreError) -> Bool
  /// Removes all consents of an account for a client.
  mutating func removeConsents(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError)

  // Grants, codes, refresh tokens
  mutating func insert(_ grant: GrantRecord) throws(StoreError)
  /// Revokes a grant with its code and refresh tokens. If the grant is already revoked, its revocation reason stays the
  /// same.
  /// - Returns: Whether this call revoked the grant. False if it was revoked before, or does not exist.
  @discardableResult
  mutating func revokeGrant(
    _ id: GrantID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool
  mutating func revokeGrants(
    of account: AccountID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError)

  /// Binds a grant to a key.
  /// - Returns: True if the grant is now bound to this key; false if it is bound to a different key, or does not exist.
  mutating func bindGrant(_ id: GrantID, to thumbprint: String) throws(StoreError) -> Bool

  /// - Throws: ``StoreError/conflict`` if the grant already has a code, is revoked, or does not exist.
  mutating func insert(_ code: AuthorizationCodeRecord) throws(StoreError)
  /// Consumes a grant's code, in a single statement.
  /// - Returns: True for exactly one caller, and only if the grant is not revoked.
  mutating func consumeAuthorizationCode(of grant: GrantID, at now: Timestamp) throws(StoreError) -> Bool
  /// Counts a failed redemption of a grant's code, and returns the count.
  mutating func countFailedRedemption(of grant: GrantID) throws(StoreError) -> Int

  /// Adds a refresh token, which must be the first of its grant or the successor of a replaced token. A grant has at
  /// most one valid token.
  /// - Throws: ``StoreError/conflict`` if the token is neither of these, or the grant is revoked or does not exist.
  mutating func insert(_ token: RefreshTokenRecord) throws(StoreError)
  /// Marks a token as replaced and stores its encrypted successor, in a single statement.
  /// - Returns: True for exactly one caller, and only if the grant of the token is not revoked. The expiration is not
  ///   checked.
  mutating func consumeRefreshToken(
    _ id: RefreshTokenID, sealedSuccessor: [UInt8], at now: Timestamp
  ) throws(StoreError) -> Bool
  /// Deletes the encrypted successor of a token. Does nothing if the token or its encrypted successor does not exist.
  mutating func forgetSealedSuccessor(of id: RefreshTokenID) throws(StoreError)

  // Pushed requests
  mutating func insert(_ request: PushedRequestRecord) throws(StoreError)

  // Devices
  /// - Throws: ``StoreError/conflict`` if the fingerprint or the user code exists.
  mutating func insert(_ device: DeviceAuthorizationRecord) throws(StoreError)
  /// Records a poll and the new interval, in seconds.
  mutating func notePoll(of fingerprint: Fingerprint, interval: Int, at now: Timestamp) throws(StoreError)
  /// Stores the user's decision about a device, in a single statement.
  /// - Returns: True for exactly one caller.
  mutating func decide(
    _ decision: DeviceAuthorizationRecord.Decision, onDevice fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool
  /// Consumes a device authorization, in a single statement.
  /// - Returns: True for exactly one caller, and only if the user allowed it.
  mutating func consumeDeviceAuthorization(
    _ fingerprint: Fingerprint, as grant: GrantID, at now: Timestamp
  ) throws(StoreError) -> Bool
  /// Removes the device authorizations that an account has approved and that have not been redeemed yet.
  ///
  /// Redeemed authorizations remain, so that a replayed device code can be recognized.
  mutating func removeDeviceApprovals(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError)
  /// Like ``removeDeviceApprovals(of:_:)``, for the devices of one client.
  mutating func removeDeviceApprovals(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError)

  // Identifiers and attempts
  /// Marks an identifier as used, such as the `jti` of a proof or an assertion.
  /// - Parameter expires: When the entry can be removed.
  /// - Returns: True for exactly one caller.
  mutating func consumeIdentifier(_ identifier: Fingerprint, expires: Timestamp) throws(StoreError) -> Bool
  /// Counts an attempt. An attempt after the end of the window starts a new window.
  /// - Returns: The number of attempts in this window, including this one.
  mutating func countAttempt(_ key: Fingerprint, window: Duration, at now: Timestamp) throws(StoreError) -> Int
  /// Raises a counter of a ``RateLimit``: adds `interval` to the time at which the counter will be empty, or to `now`
  /// if the counter is empty. A counter that was last raised more than an hour after `now` is empty too, because a
  /// server's clock was wrong. A key must not be a key of attempts, because a store may keep both in the same table.
  mutating func raiseLimitCounter(_ key: Fingerprint, by interval: Duration, at now: Timestamp) throws(StoreError)
  /// Empties a counter.
  mutating func removeLimitCounter(_ key: Fingerprint) throws(StoreError)

  // Audit trail. Records are never changed, and are removed when they are old.
  /// Stores a record, unless it is already stored. A write whose outcome is unknown can therefore be repeated.
  ///
  /// Stores implement this method, but only ``insert(_:)`` calls it, because `insert` also notifies the user.
  mutating func append(_ record: AuditRecord) throws(StoreError)
  /// Removes at most `limit` records from before `time`, the oldest first.
  /// - Returns: The number of removed records.
  mutating func removeAuditRecords(before time: Timestamp, limit: Int) throws(StoreError) -> Int
}
