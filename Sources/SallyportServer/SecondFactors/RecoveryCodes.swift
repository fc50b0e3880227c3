import Crypto
import SallyportProtocol

/// Creates and uses the recovery codes of accounts. Only their keyed fingerprints are stored.
struct RecoveryCodes: Sendable {
  /// The number of codes in a set.
  static var count: Int { 10 }

  private let key: SymmetricKey

  init(_ masterKey: MasterKey) {
    self.key = masterKey.key(for: "recovery codes")
  }

  func fingerprint(of code: RecoveryCode, account: AccountID) -> Fingerprint {
    let input = Array("\(account.rawValue)\n\(code.text.reveal())".utf8)
    return Fingerprint(bytes: Array(HMAC<SHA256>.authenticationCode(for: input, using: self.key)))
  }

  /// Replaces all codes of an account with new ones. Only their fingerprints are stored, so show the codes to the user
  /// now.
  /// - Parameters:
  ///   - codes: New codes. They are created before the transaction, whose body may run more than once.
  ///   - session: The ``BrowserSessionRecord/id`` of the user's session.
  func replace(
    of account: AccountID, with codes: [RecoveryCode], session: String?, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let recorded = try tx.record(AuditRecord(.recoveryCodesCreated, account: account, session: session, from: origin, at: now))
    let fingerprints = codes.map { self.fingerprint(of: $0, account: account) }
    try tx.replaceRecoveryCodes(of: account, with: fingerprints, at: now, recorded)
  }

  /// Stores the codes that an account gets with its first factor, unless the account has unused ones.
  /// - Returns: Whether the codes were stored and must be shown.
  func addFirst(
    _ codes: [RecoveryCode], to account: AccountID, session: String?, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> Bool {
    guard try !tx.recoveryCodes(of: account).contains(where: { $0.usedAt == nil }) else { return false }
    try self.replace(of: account, with: codes, session: session, from: origin, at: now, in: &tx)
    return true
  }

  /// Removes the codes if the account has neither an authenticator app nor a passkey that can be used. Recovery codes
  /// are only a substitute for these factors, so they are useless without one.
  static func removeWithoutFactor(
    of account: AccountID, _ changePolicy: SensitiveChangePolicy, session: String?, from origin: AuditOrigin,
    at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let factors = try changePolicy.factors(tx, of: account)
    guard !factors.hasTOTP, factors.passkeys == 0, try !tx.recoveryCodes(of: account).isEmpty else { return }
    let recorded = try tx.record(AuditRecord(.recoveryCodesRemoved, account: account, session: session, from: origin, at: now))
    try tx.replaceRecoveryCodes(of: account, with: [], at: now, recorded)
  }

  static func random() -> [RecoveryCode] {
    (0..<self.count).map { _ in .random() }
  }
}

extension RecoveryCodeRecord {
  /// Returns an identifier for an account's set of codes: the time at which they were created. Empty if there are none.
  package static func identifier(ofSet codes: [RecoveryCodeRecord]) -> String {
    codes.first.map { "\($0.createdAt.milliseconds)" } ?? ""
  }
}
