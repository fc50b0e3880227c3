public import SallyportProtocol

/// Read access to the store. Unless a method says otherwise, lookups also return expired and consumed rows, because
/// detecting a replay requires them.
public protocol StoreSnapshot {
  // Accounts
  func account(_ id: AccountID) throws(StoreError) -> AccountRecord?
  /// - Parameter username: The normalized user name (see ``Username``).
  func account(named username: Username) throws(StoreError) -> AccountRecord?
  /// Returns accounts in the order of their user names.
  /// - Parameter after: The user name after which the accounts begin; nil for the first accounts.
  func accounts(after: Username?, limit: Int) throws(StoreError) -> [AccountRecord]
  /// Returns at most `limit` accounts with this verified email address, oldest first. Uppercase and lowercase ASCII
  /// letters are equal.
  func accounts(withVerifiedEmail email: String, limit: Int) throws(StoreError) -> [AccountRecord]

  // One-time links and mail
  func accountLink(_ fingerprint: Fingerprint) throws(StoreError) -> AccountLinkRecord?
  func signUp(_ fingerprint: Fingerprint) throws(StoreError) -> SignUpRecord?
  /// Returns the time of the next attempt to send a message; nil if no message waits to be sent.
  func nextMailTime() throws(StoreError) -> Timestamp?
  /// Returns the queued mail, sorted by the time of the next attempt.
  func mails() throws(StoreError) -> [MailRecord]

  // Passkeys
  /// - Parameter id: The credential ID.
  func passkey(_ id: [UInt8]) throws(StoreError) -> PasskeyRecord?
  /// Returns the passkeys of an account, oldest first.
  func passkeys(of account: AccountID) throws(StoreError) -> [PasskeyRecord]

  // Second factors
  /// Returns the authenticator app of an account; nil if it has none.
  func totp(of account: AccountID) throws(StoreError) -> TOTPRecord?
  /// Returns the recovery codes of an account, including used ones, sorted by their fingerprints.
  func recoveryCodes(of account: AccountID) throws(StoreError) -> [RecoveryCodeRecord]

  // Upstreams
  func upstream(_ id: String) throws(StoreError) -> UpstreamRecord?
  /// Returns all upstreams, oldest first, including disabled ones.
  func upstreams() throws(StoreError) -> [UpstreamRecord]
  /// Returns the connected identity with this `iss` and `sub`.
  func federatedIdentity(issuer: String, subject: String) throws(StoreError) -> FederatedIdentityRecord?
  /// Returns the connected identities of an account, oldest first.
  func federatedIdentities(of account: AccountID) throws(StoreError) -> [FederatedIdentityRecord]
  func upstreamRequest(_ fingerprint: Fingerprint) throws(StoreError) -> UpstreamRequestRecord?

  // Clients
  func client(_ id: ClientID) throws(StoreError) -> ClientRecord?
  /// Returns all clients, oldest first.
  func clients() throws(StoreError) -> [ClientRecord]
  /// Returns the number of clients with this origin.
  func countClients(_ origin: ClientRecord.Origin) throws(StoreError) -> Int
  func clientLease(_ id: ClientID) throws(StoreError) -> ClientLeaseRecord?
  /// Returns clients with this origin that have never obtained a grant: they have no grants, and
  /// ``ClientLeaseRecord/lastUsedAt`` is not later than their creation. They are sorted by the expiration of their
  /// leases. Clients without a lease, or whose lease does not expire, are not included.
  func clientsWithoutGrant(_ origin: ClientRecord.Origin, limit: Int) throws(StoreError) -> [ClientID]
  /// Returns all initial access tokens, oldest first.
  func initialAccessTokens() throws(StoreError) -> [InitialAccessTokenRecord]
  /// Returns a number that increases with every change to a client, a signing key, or an upstream, so that caches can
  /// detect changes by other processes.
  func configurationVersion() throws(StoreError) -> Int64

  // Keys
  /// Returns all signing keys in the store, oldest first, including keys that no longer sign.
  func signingKeys() throws(StoreError) -> [SigningKeyRecord]

  // Browser sessions and consents
  func browserSession(_ fingerprint: Fingerprint) throws(StoreError) -> BrowserSessionRecord?
  /// Returns a session and its account.
  func browserSessionAndAccount(
    _ fingerprint: Fingerprint
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord)?
  /// Returns a session, its account, and the account's consents for a client and redirect URI, in one lookup. There is
  /// one consent for each set of resources, and the consents are sorted by their resources.
  func browserSession(
    _ fingerprint: Fingerprint, withConsentsFor client: ClientID, redirectURI: String
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord, consents: [ConsentRecord])?
  /// Returns the sessions of an account that have not ended. Sessions that have expired may be included.
  func browserSessions(of account: AccountID) throws(StoreError) -> [BrowserSessionRecord]
  /// Returns the session with this ``BrowserSessionRecord/id``; nil if it has ended or does not exist.
  func browserSession(withID id: String) throws(StoreError) -> BrowserSessionRecord?
  /// Returns the sessions that this user of an upstream began through the upstream, and that have not ended. Sessions
  /// that have expired may be included.
  func browserSessions(ofUpstream issuer: String, subject: String) throws(StoreError) -> [BrowserSessionRecord]
  /// Returns the sessions that began through this session at an upstream, and that have not ended. Sessions that have
  /// expired may be included.
  func browserSessions(ofUpstream issuer: String, sessionID: String) throws(StoreError) -> [BrowserSessionRecord]
  /// Returns all consents of an account, sorted by client, redirect URI, and resources.
  func consents(of account: AccountID) throws(StoreError) -> [ConsentRecord]
  /// Returns the consents, one record for each set of resources, sorted by the resources.
  func consents(account: AccountID, client: ClientID, redirectURI: String) throws(StoreError) -> [ConsentRecord]

  // Back-channel logout
  /// Returns the clients of a session, sorted by their identifiers.
  func sessionClients(ofSession sessionID: String) throws(StoreError) -> [SessionClientRecord]
  /// Returns the clients of an account's sessions, sorted by the identifiers of the sessions and of the clients.
  func sessionClients(of account: AccountID) throws(StoreError) -> [SessionClientRecord]
  /// Returns the pending deliveries, sorted by the time of the next attempt.
  func logoutDeliveries() throws(StoreError) -> [LogoutDeliveryRecord]

  // Interactions
  /// Whether ``StoreTransaction/consumeInteraction(_:expires:)`` was called for the interaction. False again after the
  /// expired entry is removed.
  func isInteractionConsumed(_ id: String) throws(StoreError) -> Bool

  // Grants, codes, refresh tokens
  func grant(_ id: GrantID) throws(StoreError) -> GrantRecord?
  /// Returns the user of a valid grant; nil if the grant was revoked or has expired, or the account is disabled.
  func resourceOwner(of grant: GrantID, at now: Timestamp) throws(StoreError) -> ResourceOwner?
  func authorizationCode(
    _ fingerprint: Fingerprint, of grant: GrantID
  ) throws(StoreError) -> GrantedCredential<AuthorizationCodeRecord>?
  /// - Parameter id: The identifier in the token; nil for a token that an older version issued without an identifier.
  func refreshToken(
    _ fingerprint: Fingerprint, _ id: RefreshTokenID?
  ) throws(StoreError) -> GrantedCredential<RefreshTokenRecord>?
  /// Returns the unrevoked grants of an account that were created in the browser session with this
  /// ``BrowserSessionRecord/id``, oldest first.
  func grants(of account: AccountID, inSession sessionID: String) throws(StoreError) -> [GrantRecord]
  /// Returns the unrevoked grants of an account, oldest first. Grants that have expired may be included.
  func grants(of account: AccountID) throws(StoreError) -> [GrantUse]
  /// Returns unrevoked grants in the order of their identifiers. Grants that have expired may be included.
  /// - Parameters:
  ///   - client: The client of the grants; nil for all clients.
  ///   - after: The identifier after which the grants begin; nil for the first grants.
  func grants(of client: ClientID?, after: GrantID?, limit: Int) throws(StoreError) -> [GrantUse]

  // Pushed requests, devices, identifiers
  func pushedRequest(_ fingerprint: Fingerprint) throws(StoreError) -> PushedRequestRecord?
  func deviceAuthorization(_ fingerprint: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord?
  func deviceAuthorization(userCode: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord?
  /// Returns the device authorizations that an account has approved and that have not been redeemed, oldest first.
  /// Authorizations that have expired may be included.
  func deviceApprovals(of account: AccountID) throws(StoreError) -> [DeviceAuthorizationRecord]
  /// Whether ``StoreTransaction/consumeIdentifier(_:expires:)`` was called for the identifier. False again after the
  /// expired entry is removed.
  func isIdentifierConsumed(_ identifier: Fingerprint) throws(StoreError) -> Bool
  /// Returns the number of attempts that were counted for this key in the current time window.
  func attempts(_ key: Fingerprint, at now: Timestamp) throws(StoreError) -> Int
  /// Returns the time at which each of these counters will be empty (``StoreTransaction/raiseLimitCounter(_:by:at:)``).
  /// The times may be in the past.
  ///
  /// Counters that were never raised or were removed are missing. So are counters that were last raised more than
  /// an hour after `now`: a server's clock was wrong, and users would have to wait until the time of that clock.
  func limitCounters(_ keys: [Fingerprint], at now: Timestamp) throws(StoreError) -> [Fingerprint: Timestamp]

  // Audit trail
  func auditRecords(_ query: AuditQuery) throws(StoreError) -> [AuditRecord]
}
