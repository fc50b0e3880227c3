import SallyportProtocol

/// The user's side of a device sign-in (RFC 8628 §3.3): finding the device by its user code, and storing the user's
/// decision.
package struct DeviceVerification: Sendable {
  let store: any Store
  let userCodes: UserCodeFingerprints
  let configuration: ServerConfiguration
  let now: TimeSource

  /// The maximum number of wrong codes that a user may enter within the lifetime of a device code (RFC 8628 §5.1).
  ///
  /// The limit prevents guessing. The user must be signed in, so mistakes are counted per account, and one user's
  /// mistakes do not affect other users.
  package static var maximumMistakes: Int { 10 }

  /// A device that is waiting for the user's decision.
  package struct WaitingDevice: Sendable {
    package let device: DeviceAuthorizationRecord
    package let client: ClientRecord
    /// The level that operators require for the client and the scope.
    package let requiredLevel: AuthenticationContext.Level

    /// Whether the session's user was authenticated at the required level.
    package func accepts(_ session: BrowserSessionRecord) -> Bool {
      AuthenticationContext.Level(of: session.authenticationMethods) >= self.requiredLevel
    }
  }

  package enum Finding: Sendable {
    case waiting(WaitingDevice)
    /// The code is unknown or has expired, or a user has already decided on its device. The user who enters the code
    /// does not learn which.
    case unknown
    case tooManyMistakes
  }

  /// The result of the user's decision.
  package enum Outcome: Sendable, Equatable {
    case allowed, denied
    /// The device no longer waits for a decision, or the session has ended.
    case unknown
    /// The user allowed the sign-in, but was not authenticated at the required level.
    case strongerSignInNeeded
  }

  /// Looks up a device by the code that a user entered, and counts a mistake if no device is waiting for this code.
  ///
  /// Call this only for a form of the server's own page, because a request from another site must not count as the
  /// user's mistake. The lookup and the count share a transaction, so parallel guesses cannot exceed the limit.
  package func find(_ code: UserCode, for account: AccountRecord) async throws(StoreError) -> Finding {
    let now = self.now()
    let mistakes = StoredLimit(
      "user code mistakes\n\(account.id.rawValue)", Self.maximumMistakes, in: self.configuration.lifetimes.deviceCode)
    let fingerprint = self.userCodes.fingerprint(of: code)
    return try await self.store.write { (tx) throws(StoreError) -> Finding in
      guard try !mistakes.isReached(tx, at: now) else { return .tooManyMistakes }
      if let waiting = try self.waiting(tx, fingerprint, at: now) { return .waiting(waiting) }
      _ = try mistakes.countUnlessReached(in: &tx, at: now)
      return .unknown
    }
  }

  /// Returns the device with this code again, after ``find(_:for:)`` has found it; nil if the device is no longer
  /// waiting. Does not count a mistake.
  package func waiting(with code: UserCode) async throws(StoreError) -> WaitingDevice? {
    let (now, fingerprint) = (self.now(), self.userCodes.fingerprint(of: code))
    return try await self.store.read { (tx) throws(StoreError) in try self.waiting(tx, fingerprint, at: now) }
  }

  /// Returns the client of a device about which the user of a session has decided, and the decision, for a browser that
  /// has lost the response and sends the form again. Does not count a mistake.
  ///
  /// The store does not contain who denied a sign-in. A denial is therefore returned for any session.
  /// - Returns: Nil if the device is waiting, if its code has expired, or if it was allowed in another session.
  package func decided(
    with code: UserCode, in session: BrowserSessionRecord
  ) async throws(StoreError) -> (client: ClientRecord, isAllowed: Bool)? {
    let (now, fingerprint) = (self.now(), self.userCodes.fingerprint(of: code))
    return try await self.store.read { (tx) throws(StoreError) in
      guard let device = try tx.deviceAuthorization(userCode: fingerprint), now < device.expiresAt,
        let client = try tx.client(device.client)
      else { return nil }
      switch device.decision {
      case nil: return nil
      case .denied: return (client, false)
      case .allowed(_, _, let sessionID, _): return sessionID == session.id ? (client, true) : nil
      }
    }
  }

  private func waiting(
    _ tx: borrowing any StoreSnapshot, _ userCode: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> WaitingDevice? {
    guard let device = try tx.deviceAuthorization(userCode: userCode), device.decidedAt == nil, now < device.expiresAt,
      let client = try tx.client(device.client)
    else { return nil }
    return WaitingDevice(
      device: device, client: client, requiredLevel: self.configuration.requiredLevel(of: client, for: device.scope))
  }

  /// Stores the user's decision, unless the device no longer waits for it, the session has ended, or the user allows
  /// the sign-in without being authenticated at the required level.
  package func decide(
    _ waiting: WaitingDevice, session: BrowserSessions.Active, allow: Bool, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    let (now, idle) = (self.now(), self.configuration.lifetimes.browserSessionIdle)
    let record = session.record
    guard !allow || waiting.accepts(record) else { return .strongerSignInNeeded }
    let device = waiting.device.fingerprint
    let decision: DeviceAuthorizationRecord.Decision =
      allow
      ? .allowed(
        account: session.account.id, authenticatedAt: record.authenticatedAt, sessionID: record.id,
        methods: record.authenticationMethods) : .denied
    let isDecided = try await self.store.write { (tx) throws(StoreError) -> Bool in
      guard let live = try tx.browserSession(record.fingerprint), live.isValid(at: now, idle: idle),
        let current = try tx.deviceAuthorization(device), now < current.expiresAt
      else { return false }
      guard try tx.decide(decision, onDevice: device, at: session.account.decisionTime(at: now)) else { return false }
      try tx.insert(
        AuditRecord(
          allow ? .deviceApproved : .deviceDenied, account: record.account, client: current.client, session: record.id,
          from: origin, at: now))
      return true
    }
    guard isDecided else { return .unknown }
    return allow ? .allowed : .denied
  }
}
