import SallyportProtocol
import SallyportServer

/// A store with a few clients and one signing key. It discards all writes, so that every input is checked in the same
/// state.
struct FuzzStore: Store {
  let state: FuzzState

  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    var state: any StoreTransaction = self.state
    return try body(&state)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try body(self.state)
  }

  func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int { 0 }
}

/// The state at the start of each transaction of a ``FuzzStore``: clients and signing keys, and no other rows. Inserts
/// succeed. Most updates report that the row does not exist.
struct FuzzState: StoreTransaction, Sendable {
  let registeredClients: [ClientRecord]
  let keys: [SigningKeyRecord]
}

extension FuzzState {
  func client(_ id: ClientID) throws(StoreError) -> ClientRecord? {
    self.registeredClients.first { $0.id.rawValue.utf8.elementsEqual(id.rawValue.utf8) }
  }
  func clients() throws(StoreError) -> [ClientRecord] { self.registeredClients }
  func countClients(_ origin: ClientRecord.Origin) throws(StoreError) -> Int { 0 }
  func clientLease(_ id: ClientID) throws(StoreError) -> ClientLeaseRecord? { nil }
  func clientsWithoutGrant(_ origin: ClientRecord.Origin, limit: Int) throws(StoreError) -> [ClientID] { [] }
  func initialAccessTokens() throws(StoreError) -> [InitialAccessTokenRecord] { [] }
  func configurationVersion() throws(StoreError) -> Int64 { 1 }
  func signingKeys() throws(StoreError) -> [SigningKeyRecord] { self.keys }

  func account(_ id: AccountID) throws(StoreError) -> AccountRecord? { nil }
  func account(named username: Username) throws(StoreError) -> AccountRecord? { nil }
  func accounts() throws(StoreError) -> [AccountRecord] { [] }
  func accounts(after: Username?, limit: Int) throws(StoreError) -> [AccountRecord] { [] }
  func accounts(withVerifiedEmail email: String, limit: Int) throws(StoreError) -> [AccountRecord] { [] }
  func accountLink(_ fingerprint: Fingerprint) throws(StoreError) -> AccountLinkRecord? { nil }
  func signUp(_ fingerprint: Fingerprint) throws(StoreError) -> SignUpRecord? { nil }
  func mails() throws(StoreError) -> [MailRecord] { [] }
  func nextMailTime() throws(StoreError) -> Timestamp? { nil }
  func passkey(_ id: [UInt8]) throws(StoreError) -> PasskeyRecord? { nil }
  func passkeys(of account: AccountID) throws(StoreError) -> [PasskeyRecord] { [] }
  func upstream(_ id: String) throws(StoreError) -> UpstreamRecord? { nil }
  func upstreams() throws(StoreError) -> [UpstreamRecord] { [] }
  func federatedIdentity(issuer: String, subject: String) throws(StoreError) -> FederatedIdentityRecord? { nil }
  func federatedIdentities(of account: AccountID) throws(StoreError) -> [FederatedIdentityRecord] { [] }
  func upstreamRequest(_ fingerprint: Fingerprint) throws(StoreError) -> UpstreamRequestRecord? { nil }
  func totp(of account: AccountID) throws(StoreError) -> TOTPRecord? { nil }
  func recoveryCodes(of account: AccountID) throws(StoreError) -> [RecoveryCodeRecord] { [] }
  func browserSession(_ fingerprint: Fingerprint) throws(StoreError) -> BrowserSessionRecord? { nil }
  func browserSessionAndAccount(
    _ fingerprint: Fingerprint
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord)? { nil }
  func browserSession(
    _ fingerprint: Fingerprint, withConsentsFor client: ClientID, redirectURI: String
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord, consents: [ConsentRecord])? { nil }
  func browserSessions(of account: AccountID) throws(StoreError) -> [BrowserSessionRecord] { [] }
  func browserSessions(ofUpstream issuer: String, subject: String) throws(StoreError) -> [BrowserSessionRecord] { [] }
  func browserSessions(ofUpstream issuer: String, sessionID: String) throws(StoreError) -> [BrowserSessionRecord] { [] }
  func browserSession(withID id: String) throws(StoreError) -> BrowserSessionRecord? { nil }
  func consents(of account: AccountID) throws(StoreError) -> [ConsentRecord] { [] }
  func consents(account: AccountID, client: ClientID, redirectURI: String) throws(StoreError) -> [ConsentRecord] { [] }
  func sessionClients(ofSession sessionID: String) throws(StoreError) -> [SessionClientRecord] { [] }
  func sessionClients(of account: AccountID) throws(StoreError) -> [SessionClientRecord] { [] }
  func logoutDeliveries() throws(StoreError) -> [LogoutDeliveryRecord] { [] }
  func isInteractionConsumed(_ id: String) throws(StoreError) -> Bool { false }
  func grant(_ id: GrantID) throws(StoreError) -> GrantRecord? { nil }
  func resourceOwner(of grant: GrantID, at now: Timestamp) throws(StoreError) -> ResourceOwner? { nil }
  func authorizationCode(
    _ fingerprint: Fingerprint, of grant: GrantID
  ) throws(StoreError) -> GrantedCredential<AuthorizationCodeRecord>? { nil }
  func refreshToken(
    _ fingerprint: Fingerprint, _ id: RefreshTokenID?
  ) throws(StoreError) -> GrantedCredential<RefreshTokenRecord>? { nil }
  func grants(of account: AccountID, inSession sessionID: String) throws(StoreError) -> [GrantRecord] { [] }
  func grants(of account: AccountID) throws(StoreError) -> [GrantUse] { [] }
  func grants(of client: ClientID?, after: GrantID?, limit: Int) throws(StoreError) -> [GrantUse] { [] }
  func pushedRequest(_ fingerprint: Fingerprint) throws(StoreError) -> PushedRequestRecord? { nil }
  func deviceAuthorization(_ fingerprint: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord? { nil }
  func deviceAuthorization(userCode: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord? { nil }
  func deviceApprovals(of account: AccountID) throws(StoreError) -> [DeviceAuthorizationRecord] { [] }
  func isIdentifierConsumed(_ identifier: Fingerprint) throws(StoreError) -> Bool { false }
  func attempts(_ key: Fingerprint, at now: Timestamp) throws(StoreError) -> Int { 0 }
  func auditRecords(_ query: AuditQuery) throws(StoreError) -> [AuditRecord] { [] }
}

extension FuzzState {
  mutating func insert(_ account: AccountRecord) throws(StoreError) {}
  mutating func insert(_ passkey: PasskeyRecord) throws(StoreError) {}
  mutating func usePasskey(
    _ id: [UInt8], signatureCount: Int64, isBackupEligible: Bool, isBackedUp: Bool, at now: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func renamePasskey(_ id: [UInt8], of account: AccountID, to name: String) throws(StoreError) -> Bool { false }
  mutating func removePasskey(
    _ id: [UInt8], of account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func insert(_ upstream: UpstreamRecord) throws(StoreError) {}
  mutating func update(_ upstream: UpstreamRecord) throws(StoreError) -> Bool { false }
  mutating func removeUpstream(_ id: String, _ recorded: borrowing Recorded) throws(StoreError) -> Bool { false }
  mutating func insert(_ identity: FederatedIdentityRecord) throws(StoreError) {}
  mutating func useFederatedIdentity(
    issuer: String, subject: String, at now: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func removeFederatedIdentity(
    issuer: String, subject: String, of account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func insert(_ request: UpstreamRequestRecord) throws(StoreError) {}
  mutating func consumeUpstreamRequest(
    _ fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func insert(_ totp: TOTPRecord) throws(StoreError) {}
  mutating func useTOTP(of account: AccountID, step: Int64, at now: Timestamp) throws(StoreError) -> Bool { false }
  mutating func removeTOTP(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool { false }
  mutating func replaceRecoveryCodes(
    of account: AccountID, with fingerprints: [Fingerprint], at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {}
  mutating func useRecoveryCode(
    _ fingerprint: Fingerprint, of account: AccountID, at now: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func setPasswordHash(
    _ hash: String, of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func renewPasswordHash(_ old: String, by new: String, of account: AccountID) throws(StoreError) -> Bool { false }
  mutating func setDisabled(
    _ at: Timestamp?, account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func setProfile(
    name: String?, email: String?, emailVerifiedAt: Timestamp?, of account: AccountID
  ) throws(StoreError) -> Bool { false }
  mutating func setLanguage(_ language: String?, of account: AccountID) throws(StoreError) -> Bool { false }
  mutating func insert(_ link: AccountLinkRecord) throws(StoreError) {}
  mutating func consumeAccountLink(
    _ fingerprint: Fingerprint, at now: Timestamp, keepingUntil end: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func removeAccountLinks(
    of account: AccountID, for purpose: AccountLinkRecord.Purpose?, onlyUnusedMail: Bool
  ) throws(StoreError) {}
  mutating func insert(_ signUp: SignUpRecord) throws(StoreError) {}
  mutating func consumeSignUp(
    _ fingerprint: Fingerprint, at now: Timestamp, keepingUntil end: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func removeSignUp(_ fingerprint: Fingerprint) throws(StoreError) -> Bool { false }
  mutating func insert(_ mail: MailRecord) throws(StoreError) {}
  mutating func claimMail(retry: Timestamp, at now: Timestamp) throws(StoreError) -> MailRecord? { nil }
  mutating func postponeMail(_ id: String, to time: Timestamp) throws(StoreError) {}
  mutating func removeMail(_ id: String) throws(StoreError) -> Bool { false }
  mutating func removeAccount(_ id: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool { false }
  mutating func insert(_ client: ClientRecord) throws(StoreError) {}
  mutating func update(_ client: ClientRecord) throws(StoreError) -> Bool { false }
  mutating func removeClient(_ id: ClientID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool { false }
  mutating func removeGrantsAndConsents(ofDisabled client: ClientID, limit: Int) throws(StoreError) -> Int { 0 }
  mutating func put(_ lease: ClientLeaseRecord) throws(StoreError) {}
  mutating func insert(_ token: InitialAccessTokenRecord) throws(StoreError) {}
  mutating func useInitialAccessToken(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) -> Bool { false }
  mutating func removeInitialAccessToken(
    _ fingerprint: Fingerprint, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func insert(_ key: SigningKeyRecord) throws(StoreError) {}
  mutating func retireSigningKey(
    _ id: String, at retired: Timestamp, removedAt: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func insert(_ session: BrowserSessionRecord) throws(StoreError) {}
  mutating func touchBrowserSession(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) {}
  mutating func confirmBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, seenAfter limit: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func endBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func endBrowserSessions(of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded) throws(StoreError) {}
  mutating func put(_ client: SessionClientRecord) throws(StoreError) {}
  mutating func extendSessionClients(ofSession sessionID: String, to expiry: Timestamp) throws(StoreError) {}
  mutating func removeSessionClients(ofSession sessionID: String) throws(StoreError) {}
  mutating func insert(_ delivery: LogoutDeliveryRecord) throws(StoreError) {}
  mutating func claimLogoutDelivery(
    isDynamic: Bool, except busy: [ClientID], retry: Timestamp, at now: Timestamp
  ) throws(StoreError) -> LogoutDeliveryRecord? { nil }
  mutating func postponeLogoutDelivery(_ id: String, to due: Timestamp) throws(StoreError) {}
  mutating func removeLogoutDelivery(_ id: String) throws(StoreError) -> Bool { false }
  mutating func consumeInteraction(_ id: String, expires: Timestamp) throws(StoreError) -> Bool { true }
  mutating func remember(_ consent: ConsentRecord) throws(StoreError) {}
  mutating func confirm(_ consent: ConsentRecord) throws(StoreError) -> Bool { false }
  mutating func removeConsents(of account: AccountID, client: ClientID, _ recorded: borrowing Recorded) throws(StoreError) {}
  mutating func insert(_ grant: GrantRecord) throws(StoreError) {}
  mutating func revokeGrant(
    _ id: GrantID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool { false }
  mutating func revokeGrants(
    of account: AccountID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {}
  mutating func bindGrant(_ id: GrantID, to thumbprint: String) throws(StoreError) -> Bool { true }
  mutating func insert(_ code: AuthorizationCodeRecord) throws(StoreError) {}
  mutating func consumeAuthorizationCode(of grant: GrantID, at now: Timestamp) throws(StoreError) -> Bool { false }
  mutating func countFailedRedemption(of grant: GrantID) throws(StoreError) -> Int { 1 }
  mutating func insert(_ token: RefreshTokenRecord) throws(StoreError) {}
  mutating func consumeRefreshToken(
    _ id: RefreshTokenID, sealedSuccessor: [UInt8], at now: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func forgetSealedSuccessor(of id: RefreshTokenID) throws(StoreError) {}
  mutating func insert(_ request: PushedRequestRecord) throws(StoreError) {}
  mutating func insert(_ device: DeviceAuthorizationRecord) throws(StoreError) {}
  mutating func notePoll(of fingerprint: Fingerprint, interval: Int, at now: Timestamp) throws(StoreError) {}
  mutating func decide(
    _ decision: DeviceAuthorizationRecord.Decision, onDevice fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func consumeDeviceAuthorization(
    _ fingerprint: Fingerprint, as grant: GrantID, at now: Timestamp
  ) throws(StoreError) -> Bool { false }
  mutating func removeDeviceApprovals(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError) {}
  mutating func removeDeviceApprovals(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError) {}
  mutating func consumeIdentifier(_ identifier: Fingerprint, expires: Timestamp) throws(StoreError) -> Bool { true }
  mutating func countAttempt(_ key: Fingerprint, window: Duration, at now: Timestamp) throws(StoreError) -> Int { 1 }
  func limitCounters(_ keys: [Fingerprint], at now: Timestamp) throws(StoreError) -> [Fingerprint: Timestamp] { [:] }
  mutating func raiseLimitCounter(_ key: Fingerprint, by interval: Duration, at now: Timestamp) throws(StoreError) {}
  mutating func removeLimitCounter(_ key: Fingerprint) throws(StoreError) {}
  mutating func append(_ record: AuditRecord) throws(StoreError) {}
  mutating func removeAuditRecords(before time: Timestamp, limit: Int) throws(StoreError) -> Int { 0 }
}
