import Crypto
package import SallyportProtocol

/// `grant_type=refresh_token`, RFC 6749 §6, with rotation and reuse detection, RFC 9700 §4.14.2.
///
/// Every use replaces the token. Who presents the replaced one within a short window, while its successor was not used yet, has
/// lost our reply and gets the same successor again. Any other presentation of a replaced token ends the grant.
package struct RefreshTokenGrant<S: Store>: Sendable {
  let store: S
  let minter: TokenMinter<S>
  let lifetimes: Lifetimes
  let now: TimeSource

  package func respond(to form: FormParameters, from client: AuthenticatedClient) async throws(TokenError) -> TokenResponse {
    let request = try Request(form)
    let now = self.now()
    let loaded = try await self.load(request.token)
    let grant = try Self.validate(loaded, request, client.record, at: now)
    var source = grant.loaded.grant
    // OpenID Connect Core §12.2: the nonce belongs to the first ID token.
    source.nonce = nil
    let minted = try await self.minter.mint(
      for: source, of: grant.loaded.account, to: client.record, scope: grant.scope, at: now)
    let successor = try await self.rotate(request.token, grant, at: now)
    return minted.response(refreshToken: successor)
  }

  // MARK: Parse

  struct Request: Sendable {
    let token: OpaqueToken
    let scope: Scope?

    init(_ form: FormParameters) throws(TokenError) {
      guard let token = form["refresh_token"] else { throw TokenError(.invalidRequest, .missingParameter("refresh_token")) }
      guard let token = OpaqueToken(.refreshToken, token) else { throw TokenError(.invalidGrant, .refreshTokenUnknown) }
      self.token = token
      guard let text = form["scope"] else {
        self.scope = nil
        return
      }
      guard let scope = Scope(text) else { throw TokenError(.invalidScope, .scopeMalformed) }
      self.scope = scope
    }
  }

  // MARK: Load

  struct Loaded: Sendable {
    let token: RefreshTokenRecord
    let grant: GrantRecord
    let account: AccountRecord
  }

  private func load(_ token: OpaqueToken) async throws(TokenError) -> Loaded? {
    do {
      return try await self.store.read { (tx) throws(StoreError) -> Loaded? in
        guard let token = try tx.refreshToken(token.fingerprint), let grant = try tx.grant(token.grant),
          let account = try tx.account(grant.account)
        else { return nil }
        return Loaded(token: token, grant: grant, account: account)
      }
    } catch { throw TokenError(storage: error) }
  }

  // MARK: Validate

  struct ValidatedGrant: Sendable {
    let loaded: Loaded
    let scope: Scope
    fileprivate init(_ loaded: Loaded, scope: Scope) {
      self.loaded = loaded
      self.scope = scope
    }
  }

  /// Pure. Whether the token was replaced already is told in ``rotate(_:_:at:)``, where the answer has consequences.
  static func validate(
    _ loaded: Loaded?, _ request: Request, _ client: ClientRecord, at now: Timestamp
  ) throws(TokenError) -> ValidatedGrant {
    guard let loaded else { throw TokenError(.invalidGrant, .refreshTokenUnknown) }
    guard loaded.grant.client == client.id else { throw TokenError(.invalidGrant, .refreshTokenOfAnotherClient) }
    guard loaded.grant.revokedAt == nil, now < loaded.grant.expiresAt else { throw TokenError(.invalidGrant, .grantEnded) }
    guard loaded.account.disabledAt == nil else { throw TokenError(.invalidGrant, .accountEnded) }
    guard loaded.token.consumedAt != nil || now < loaded.token.expiresAt else {
      throw TokenError(.invalidGrant, .refreshTokenExpired)
    }
    return ValidatedGrant(loaded, scope: try self.scope(request.scope, within: loaded.grant.scope))
  }

  /// RFC 6749 §6: no more than was granted.
  static func scope(_ requested: Scope?, within granted: Scope) throws(TokenError) -> Scope {
    guard let requested, !requested.isEmpty else { return granted }
    guard granted.contains(requested) else { throw TokenError(.invalidScope, .scopeExceedsGrant) }
    return requested
  }

  // MARK: Persist

  private enum Outcome: Sendable {
    case rotated
    /// The reply was lost: this is the successor, sealed under the presented token.
    case sameSuccessor(sealed: [UInt8])
    case reused
    case ended
  }

  private func rotate(_ token: OpaqueToken, _ grant: ValidatedGrant, at now: Timestamp) async throws(TokenError) -> Secret<String>
  {
    let successor = OpaqueToken.random(.refreshToken)
    let sealed: [UInt8]
    do { sealed = try Self.sealer(under: token).seal(successor.text.reveal().utf8, context: Self.sealContext) } catch {
      throw TokenError(.serverError, .signing)
    }
    let record = RefreshTokenRecord(
      fingerprint: successor.fingerprint, grant: grant.loaded.grant.id, issuedAt: now,
      expiresAt: min(now + self.lifetimes.refreshTokenIdle, grant.loaded.grant.expiresAt),
      predecessor: token.fingerprint)
    let (presented, window) = (token.fingerprint, self.lifetimes.lostReplyWindow)
    let outcome: Outcome
    do {
      outcome = try await self.store.write { (tx) throws(StoreError) -> Outcome in
        try Self.rotate(presented, to: record, sealed: sealed, window: window, at: now, in: &tx)
      }
    } catch { throw TokenError(storage: error) }

    switch outcome {
    case .rotated: return successor.text
    case .sameSuccessor(let sealed): return try Self.open(sealed, under: token)
    case .reused: throw TokenError(.invalidGrant, .refreshTokenReused)
    case .ended: throw TokenError(.invalidGrant, .grantEnded)
    }
  }

  /// The whole decision in one transaction: no other request can come in between.
  private static func rotate(
    _ presented: Fingerprint, to successor: RefreshTokenRecord, sealed: [UInt8], window: Duration, at now: Timestamp,
    in tx: inout S.Transaction
  ) throws(StoreError) -> Outcome {
    if try tx.consumeRefreshToken(presented, successor: successor.fingerprint, sealedSuccessor: sealed, at: now) {
      try tx.insert(successor)
      if let predecessor = try tx.refreshToken(presented)?.predecessor { try tx.forgetSealedSuccessor(of: predecessor) }
      return .rotated
    }
    guard let token = try tx.refreshToken(presented), let consumedAt = token.consumedAt,
      try tx.grant(token.grant)?.revokedAt == nil
    else { return .ended }
    if let sealed = token.sealedSuccessor, now < consumedAt + window { return .sameSuccessor(sealed: sealed) }
    try tx.revokeGrant(token.grant, reason: .refreshTokenReused, at: now)
    return .reused
  }

  // MARK: The sealed successor

  private static var sealContext: String { "refresh token successor" }

  /// Keyed by the presented token's own text, which the store does not have: neither the database nor the server's keys give a
  /// successor away.
  private static func sealer(under token: OpaqueToken) -> Sealer {
    Sealer(
      key: HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: Array(token.text.reveal().utf8)), info: Array(self.sealContext.utf8),
        outputByteCount: 32))
  }

  private static func open(_ sealed: [UInt8], under token: OpaqueToken) throws(TokenError) -> Secret<String> {
    guard let text = try? self.sealer(under: token).open(sealed, context: self.sealContext) else {
      throw TokenError(.serverError, .signing)
    }
    return Secret(String(decoding: text, as: UTF8.self))
  }
}
