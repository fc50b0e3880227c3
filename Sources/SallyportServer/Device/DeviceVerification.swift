import SallyportProtocol

/// The person's side of a device's sign-in, RFC 8628 §3.3: which device, and whether it may.
package struct DeviceVerification: Sendable {
  let store: any Store
  let userCodes: UserCodeFingerprints
  let lifetimes: Lifetimes
  let now: TimeSource

  /// Codes that one person may mistype in the time that a code lives (RFC 8628 §5.1). Only who has signed in learns whether there is
  /// such a code, so that codes cannot be tried by the thousand, and nobody's mistakes lock another out.
  package static var maximumMistakes: Int { 10 }

  /// A device that waits for this person's decision.
  package struct Waiting: Sendable {
    package let device: DeviceAuthorizationRecord
    package let client: ClientRecord
  }

  package enum Finding: Sendable {
    case waiting(Waiting)
    /// Unknown, expired, or decided already: nobody is told which.
    case unknown
    case tooManyMistakes
  }

  package enum Outcome: Sendable, Equatable { case allowed, denied, unknown }

  /// Looks for a device by a code that a user has entered, and counts a mistake if none waits with it.
  ///
  /// Call this for a form of the server's own page only: what another site can send in a user's name must not count against them. Check
  /// and count share a transaction, so that parallel guesses do not exceed the limit.
  package func find(_ code: UserCode, for account: AccountRecord) async throws(StoreError) -> Finding {
    let (now, window, mark) = (self.now(), self.lifetimes.deviceCode, Self.mark(account.id))
    let fingerprint = self.userCodes.fingerprint(of: code)
    return try await self.store.write { (tx) throws(StoreError) -> Finding in
      guard try tx.attempts(mark, at: now) < Self.maximumMistakes else { return .tooManyMistakes }
      if let waiting = try Self.waiting(tx, fingerprint, at: now) { return .waiting(waiting) }
      _ = try tx.countAttempt(mark, window: window, at: now)
      return .unknown
    }
  }

  /// The device of a code with which ``find(_:for:)`` has found one before; nil if it waits no longer. Counts nothing.
  package func found(_ code: UserCode) async throws(StoreError) -> Waiting? {
    let (now, fingerprint) = (self.now(), self.userCodes.fingerprint(of: code))
    return try await self.store.read { (tx) throws(StoreError) in try Self.waiting(tx, fingerprint, at: now) }
  }

  private static func waiting(
    _ tx: borrowing any StoreSnapshot, _ userCode: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Waiting? {
    guard let device = try tx.deviceAuthorization(userCode: userCode), device.decidedAt == nil, now < device.expiresAt,
      let client = try tx.client(device.client)
    else { return nil }
    return Waiting(device: device, client: client)
  }

  /// The person has decided. A session that ended meanwhile decides nothing.
  package func decide(
    _ waiting: Waiting, session: BrowserSessions.Active, allow: Bool, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    let (now, idle) = (self.now(), self.lifetimes.browserSessionIdle)
    let record = session.record
    let device = waiting.device.fingerprint
    let decision: DeviceAuthorizationRecord.Decision =
      allow
      ? .allowed(account: session.account.id, authenticatedAt: record.authenticatedAt, sessionID: record.id) : .denied
    let isDecided = try await self.store.write { (tx) throws(StoreError) -> Bool in
      guard let live = try tx.browserSession(record.fingerprint), live.isAlive(at: now, idle: idle),
        let current = try tx.deviceAuthorization(device), now < current.expiresAt
      else { return false }
      guard try tx.decide(decision, onDevice: device, at: now) else { return false }
      try tx.insert(
        AuditRecord(
          allow ? .deviceApproved : .deviceDenied, account: record.account, client: current.client, session: record.id,
          from: origin, at: now))
      return true
    }
    guard isDecided else { return .unknown }
    return allow ? .allowed : .denied
  }

  private static func mark(_ account: AccountID) -> Fingerprint {
    Fingerprint(of: Secret("user code mistakes\n\(account.rawValue)"))
  }
}
