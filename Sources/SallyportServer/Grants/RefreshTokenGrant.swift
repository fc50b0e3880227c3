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
    let signers = try await self.minter.signers(for: client.record, at: now)
    let successor = try RefreshTokenSuccessor(of: request.token)
    let (granted, outcome) = try await self.rotate(request, client.record, to: successor, at: now)
    let refreshToken =
      switch outcome {
      case .rotated: successor.token.text
      case .sameSuccessor(let sealed): try RefreshTokenSuccessor.open(sealed, under: request.token)
      }
    return try self.minter.response(
      for: granted.grant, scope: granted.scope, refreshToken: refreshToken, signedBy: signers, at: now)
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

  private static func load(_ token: OpaqueToken, from tx: S.Transaction) throws(StoreError) -> Loaded? {
    guard let token = try tx.refreshToken(token.fingerprint), let grant = try tx.grant(token.grant),
      let account = try tx.account(grant.account)
    else { return nil }
    return Loaded(token: token, grant: grant, account: account)
  }

  // MARK: Validate

  struct ValidatedGrant: Sendable {
    let token: RefreshTokenRecord
    private(set) var grant: GrantRecord
    let scope: Scope

    fileprivate init(_ loaded: Loaded, scope: Scope) {
      self.token = loaded.token
      self.grant = loaded.grant
      // OpenID Connect Core §12.2: the nonce belongs to the first ID token.
      self.grant.nonce = nil
      self.scope = scope
    }
  }

  /// Pure. Whether the token was replaced already is told in ``rotate(_:to:lifetimes:at:in:)``, where the answer has
  /// consequences.
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
  }

  /// The whole decision in one transaction: no other request can come in between.
  private func rotate(
    _ request: Request, _ client: ClientRecord, to successor: RefreshTokenSuccessor, at now: Timestamp
  ) async throws(TokenError) -> (ValidatedGrant, Outcome) {
    let lifetimes = self.lifetimes
    let result: Result<(ValidatedGrant, Outcome), TokenError>
    do {
      result = try await self.store.write { (tx) throws(StoreError) -> Result<(ValidatedGrant, Outcome), TokenError> in
        let loaded = try Self.load(request.token, from: tx)
        switch Result(catching: { () throws(TokenError) in try Self.validate(loaded, request, client, at: now) }) {
        case .success(let grant):
          return try Self.rotate(grant, to: successor, lifetimes: lifetimes, at: now, in: &tx).map { (grant, $0) }
        case .failure(let refusal): return .failure(refusal)
        }
      }
    } catch { throw TokenError(storage: error) }
    return try result.get()
  }

  /// A refusal that revokes the grant is returned and not thrown, so that it commits.
  private static func rotate(
    _ granted: ValidatedGrant, to successor: RefreshTokenSuccessor, lifetimes: Lifetimes, at now: Timestamp,
    in tx: inout S.Transaction
  ) throws(StoreError) -> Result<Outcome, TokenError> {
    let (token, grant) = (granted.token, granted.grant)
    let isFirst = try tx.consumeRefreshToken(
      token.fingerprint, successor: successor.fingerprint, sealedSuccessor: successor.sealed, at: now)
    if isFirst {
      try tx.insert(
        RefreshTokenRecord(
          fingerprint: successor.fingerprint, grant: grant.id, issuedAt: now,
          expiresAt: min(now + lifetimes.refreshTokenIdle, grant.expiresAt), predecessor: token.fingerprint))
      if let predecessor = token.predecessor { try tx.forgetSealedSuccessor(of: predecessor) }
      return .success(.rotated)
    }
    guard let consumedAt = token.consumedAt else { return .failure(TokenError(.invalidGrant, .grantEnded)) }
    if let sealed = token.sealedSuccessor, now < consumedAt + lifetimes.lostReplyWindow {
      return .success(.sameSuccessor(sealed: sealed))
    }
    try tx.revokeGrant(grant.id, reason: .refreshTokenReused, at: now)
    return .failure(TokenError(.invalidGrant, .refreshTokenReused))
  }
}
