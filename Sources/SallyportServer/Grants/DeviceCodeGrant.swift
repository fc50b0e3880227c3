package import SallyportProtocol

/// `grant_type=urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4): the device polls for the user's decision.
package struct DeviceCodeGrant: Sendable {
  let store: any Store
  let minter: TokenMinter
  let lifetimes: Lifetimes
  let now: TimeSource

  /// The number of seconds that `slow_down` adds to the interval (§3.5).
  static var slowDown: Int { 5 }

  package func respond(to request: TokenRequest) async throws(TokenError) -> TokenResponse {
    guard let text = request.form["device_code"] else {
      throw TokenError(.invalidRequest, .missingParameter("device_code"))
    }
    guard let code = OpaqueToken(.deviceCode, text) else { throw TokenError(.invalidGrant, .deviceCodeUnknown) }
    let now = self.now()
    let signers = try await self.minter.signers(for: request.client, at: now)
    let refreshToken = OpaqueToken.random(.refreshToken)
    let (grant, resources) = try await self.redeem(code, request, issuing: refreshToken.fingerprint, at: now)
    let isRefreshable = Self.isRefreshable(grant.scope, by: request.client)
    return try self.minter.response(
      for: grant, TokenAccess(scope: grant.scope, resources: resources, key: request.key),
      refreshToken: isRefreshable ? RefreshToken(refreshToken, .first(of: grant.id)).text : nil, signedBy: signers, at: now)
  }

  private static func isRefreshable(_ scope: Scope, by client: ClientRecord) -> Bool {
    scope.contains(.offlineAccess) && client.grantTypes.contains(.refreshToken)
  }

  // MARK: Validate

  /// A device authorization that the user allowed. Only ``validate(_:_:issuer:at:)`` creates one.
  struct Allowed: Sendable {
    let device: DeviceAuthorizationRecord
    let account: AccountID
    let authenticatedAt: Timestamp
    let decidedAt: Timestamp
    let resources: [String]
  }

  /// Validates a poll, in the order of RFC 8628 §3.5. Pure.
  static func validate(
    _ device: DeviceAuthorizationRecord?, _ request: TokenRequest, issuer: Issuer, at now: Timestamp
  ) throws(TokenError) -> Allowed {
    guard let device else { throw TokenError(.invalidGrant, .deviceCodeUnknown) }
    guard device.client == request.client.id else { throw TokenError(.invalidGrant, .deviceCodeOfAnotherClient) }
    guard device.consumedAt == nil else { throw TokenError(.invalidGrant, .deviceCodeUsed) }
    guard now < device.expiresAt else { throw TokenError(.expiredToken, .deviceCodeExpired) }
    try self.checkInterval(device, at: now)
    try TokenRequest.checkBinding(device.boundKey, request.key)
    let resources = try request.resources(within: device.resources, issuer: issuer)
    guard let decision = device.decision, let decidedAt = device.decidedAt else {
      throw TokenError(.authorizationPending, .deviceUndecided)
    }
    switch decision {
    case .denied: throw TokenError(.accessDenied, .deviceDenied)
    case .allowed(let account, let authenticatedAt, _):
      return Allowed(
        device: device, account: account, authenticatedAt: authenticatedAt, decidedAt: decidedAt, resources: resources)
    }
  }

  /// Fails with `slow_down` if the device polls too often (§3.5). One second is tolerated for network delays.
  static func checkInterval(_ device: DeviceAuthorizationRecord, at now: Timestamp) throws(TokenError) {
    guard let last = device.lastPolledAt else { return }
    guard now >= last + .seconds(device.interval - 1) else { throw TokenError(.slowDown, .polledTooSoon) }
  }

  // MARK: Persist

  private func redeem(
    _ code: OpaqueToken, _ request: TokenRequest, issuing refreshToken: Fingerprint, at now: Timestamp
  ) async throws(TokenError) -> (GrantRecord, [String]) {
    let (lifetimes, issuer) = (self.lifetimes, self.minter.configuration.issuer)
    let (fingerprint, policy) = (code.fingerprint, self.minter.configuration.registration)
    let outcome: Result<(GrantRecord, [String]), TokenError>
    do {
      outcome = try await self.store.write { (tx) throws(StoreError) -> Result<(GrantRecord, [String]), TokenError> in
        let device = try tx.deviceAuthorization(fingerprint)
        let result = Result { () throws(TokenError) in try Self.validate(device, request, issuer: issuer, at: now) }
        if device?.client == request.client.id, try !Self.useProof(of: request, result, in: &tx) {
          return .failure(TokenError(.replayed))
        }
        switch result {
        case .success(let allowed):
          let granted = try Self.redeem(allowed, request, issuing: refreshToken, lifetimes: lifetimes, at: now, in: &tx)
          let lease = ClientLeaseRecord.renewed(for: request.client, policy, at: now)
          if case .success = granted, let lease { try tx.put(lease) }
          return granted
        case .failure(let refusal):
          try Self.note(refusal, device, request, at: now, in: &tx)
          return .failure(refusal)
        }
      }
    } catch { throw TokenError(storage: error) }
    return try outcome.get()
  }

  /// Consumes the proof of a poll that was made in time, so that nobody who sees the request can repeat it after the
  /// user's decision.
  ///
  /// Anyone can obtain a device code and poll with it, so the proofs of other failed polls are not stored.
  /// - Returns: False if the proof was used before.
  private static func useProof(
    of request: TokenRequest, _ result: Result<Allowed, TokenError>, in tx: inout any StoreTransaction
  ) throws(StoreError) -> Bool {
    if case .failure(let refusal) = result, refusal.reason != .deviceUndecided { return true }
    return try request.proof?.use(in: &tx) ?? true
  }

  /// Records a poll, and extends the interval if it came too soon. If the code was already redeemed, revokes its grant.
  private static func note(
    _ refusal: TokenError, _ device: DeviceAuthorizationRecord?, _ request: TokenRequest, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    guard let device, device.client == request.client.id else { return }
    switch refusal.reason {
    case .polledTooSoon: try tx.notePoll(of: device.fingerprint, interval: device.interval + self.slowDown, at: now)
    case .deviceCodeUsed:
      guard let id = device.grant, let grant = try tx.grant(id) else { return }
      try tx.end(grant, for: .codeReplayed, from: request.origin, at: now)
    case .deviceCodeExpired: break
    default: try tx.notePoll(of: device.fingerprint, interval: device.interval, at: now)
    }
  }

  /// Redeems the code. Succeeds for exactly one caller.
  private static func redeem(
    _ allowed: Allowed, _ request: TokenRequest, issuing refreshToken: Fingerprint, lifetimes: Lifetimes, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<(GrantRecord, [String]), TokenError> {
    guard let account = try tx.account(allowed.account) else { return .failure(TokenError(.invalidGrant, .accountEnded)) }
    do throws(TokenError) { try account.checkUpholds(decisionAt: allowed.decidedAt) } catch { return .failure(error) }
    let isRefreshable = self.isRefreshable(allowed.device.scope, by: request.client)
    // The grant has no browser session, because the device stays signed in when the user signs out of the browser.
    let grant = GrantRecord(
      id: GrantID(rawValue: OrderedID.random(at: now)), client: request.client.id, account: account.id,
      scope: allowed.device.scope, resources: allowed.device.resources,
      boundKey: request.client.isConfidential ? nil : request.key, authenticationContext: AuthenticationContext.password,
      authenticationMethods: AuthenticationContext.methods, authenticatedAt: allowed.authenticatedAt, createdAt: now,
      expiresAt: now + (isRefreshable ? lifetimes.grant : lifetimes.accessToken))
    guard try tx.consumeDeviceAuthorization(allowed.device.fingerprint, as: grant.id, at: now) else {
      return .failure(TokenError(.invalidGrant, .deviceCodeUsed))
    }
    try tx.issue(grant, .device, from: request.origin)
    if isRefreshable {
      try tx.insert(RefreshTokenRecord(.first(of: grant.id), refreshToken, of: grant, lifetimes, at: now))
    }
    return .success((grant, allowed.resources))
  }
}
