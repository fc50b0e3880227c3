import SallyportProtocol

/// `grant_type=urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4): the device polls for the user's decision.
struct DeviceCodeGrant: CredentialGrant {
  let request: TokenRequest
  private let code: OpaqueToken
  private let refreshToken = OpaqueToken.random(.refreshToken)

  /// The number of seconds that `slow_down` adds to the interval (§3.5).
  static var slowDown: Int { 5 }

  static var unknownCredential: TokenError { .deviceCodeUnknown }

  /// A device authorization, and the account of the user who allowed it, if any.
  struct Credential: Sendable {
    let device: DeviceAuthorizationRecord
    let account: AccountRecord?
  }

  // MARK: Parse

  init(_ request: TokenRequest) throws(TokenError) {
    self.request = request
    guard let code = OpaqueToken(.deviceCode, try request.value(of: "device_code")) else { throw .deviceCodeUnknown }
    self.code = code
  }

  // MARK: Load and validate

  func load(in tx: inout any StoreTransaction) throws(StoreError) -> Credential? {
    guard let device = try tx.deviceAuthorization(self.code.fingerprint) else { return nil }
    guard case .allowed(let account, _, _, _)? = device.decision else { return Credential(device: device, account: nil) }
    return Credential(device: device, account: try tx.account(account))
  }

  func validate(_ credential: Credential, _ context: GrantContext) throws(TokenError) -> ValidatedGrant {
    try ValidatedGrant(credential, for: self, context)
  }

  /// Fails with `slow_down` if the device polls too often (§3.5). One second is tolerated for network delays.
  ///
  /// After two `slow_down` responses, five more seconds are tolerated. The device's polls may reach servers whose
  /// clocks differ by this time. Otherwise, every second poll would seem to come too soon, however long the interval
  /// is.
  func checkInterval(of device: DeviceAuthorizationRecord, at now: Timestamp) throws(TokenError) {
    guard let last = device.lastPolledAt else { return }
    let clockDifference = device.interval > DeviceAuthorizationEndpoint.interval + Self.slowDown ? 5 : 0
    guard now >= last + .seconds(device.interval - 1 - clockDifference) else { throw .polledTooSoon }
  }

  /// Returns whether to consume the DPoP proof of a poll. The proof is consumed if the poll succeeds, if the user has
  /// not decided yet, or if the account was disabled or removed, or its password changed. If the proof were not
  /// consumed, an attacker who sees the request could repeat it later, such as after the user's decision.
  ///
  /// A poll that fails for another reason, such as polling too often, does not consume its proof, because anyone can
  /// obtain a device code and could fill the store with proofs.
  func consumesProof(for credential: Credential, after error: TokenError?) -> Bool {
    switch error {
    case nil, .deviceUndecided?, .accountEnded?, .passwordChanged?: true
    default: false
    }
  }

  // MARK: Store

  /// Consumes the device code, adds the grant, and adds the first refresh token if the grant is refreshable.
  func redeem(
    _ credential: Credential, as validated: ValidatedGrant, _ context: GrantContext, in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<Void, TokenError> {
    let (grant, client) = (validated.grant, self.request.client)
    guard try tx.consumeDeviceAuthorization(credential.device.fingerprint, as: grant.id, at: context.now) else {
      return .failure(.deviceCodeUsed)
    }
    try tx.issue(grant, .device, from: self.request.origin, at: context.now)
    if validated.isRefreshable {
      let fingerprint = self.refreshToken.fingerprint
      try tx.insert(RefreshTokenRecord(.first(of: grant.id), fingerprint, of: grant, context.lifetimes, at: context.now))
    }
    // A client that no operator registered is kept for as long as it obtains grants.
    if let lease = ClientLeaseRecord.renewed(for: client, context.configuration.registration, at: context.now) {
      try tx.put(lease)
    }
    return .success(())
  }

  /// Records a poll, and extends the interval if the poll came too soon. If the code was already redeemed, revokes its
  /// grant instead. Records nothing if the code belongs to another client or has expired, or if the user's account no
  /// longer allows its redemption.
  func applyEffects(
    of error: TokenError, on credential: Credential, _ context: GrantContext, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let device = credential.device
    guard device.client == self.request.client.id else { return }
    switch error {
    case .polledTooSoon:
      try tx.notePoll(of: device.fingerprint, interval: device.interval + Self.slowDown, at: context.now)
    case .deviceCodeUsed:
      guard let id = device.grant, let grant = try tx.grant(id) else { return }
      try tx.end(grant, for: .codeReplayed, from: self.request.origin, at: context.now)
    case .deviceCodeExpired, .accountEnded, .passwordChanged: break
    default: try tx.notePoll(of: device.fingerprint, interval: device.interval, at: context.now)
    }
  }

  // MARK: Respond

  func refreshToken(for validated: ValidatedGrant, _ outcome: Void) -> Secret<String>? {
    validated.isRefreshable ? RefreshToken(self.refreshToken, .first(of: validated.grant.id)).text : nil
  }
}
