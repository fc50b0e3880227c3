package import SallyportProtocol

/// `grant_type=refresh_token` (RFC 6749 §6) with rotation and reuse detection (RFC 9700 §4.14.2).
///
/// Every use replaces the token. A client that lost the response can present the replaced token again: within the reuse
/// interval, and until the successor is used, it receives the same successor. Any other use of a replaced token revokes
/// the grant.
package struct RefreshTokenGrant: Sendable {
  let store: any Store
  let minter: TokenMinter
  let lifetimes: Lifetimes
  let now: TimeSource

  package func respond(to request: TokenRequest) async throws(TokenError) -> TokenResponse {
    let refresh = try Request(request)
    let now = self.now()
    let signers = try await self.minter.signers(for: request.client, at: now)
    let successor = try RefreshTokenSuccessor(of: refresh.token)
    let (granted, outcome) = try await self.rotate(refresh, request.client, to: successor, at: now)
    let secret =
      switch outcome {
      case .rotated: successor.secret
      case .sameSuccessor(let sealed): try RefreshTokenSuccessor.open(sealed, under: refresh.token)
      }
    return try self.minter.response(
      for: granted.grant, TokenAccess(scope: granted.scope, resources: granted.resources, key: request.key),
      refreshToken: RefreshToken(secret, granted.token.id.successor).text, signedBy: signers, at: now)
  }

  // MARK: Parse

  struct Request: Sendable {
    let token: RefreshToken
    let origin: AuditOrigin
    let scope: Scope?
    let proof: UnusedDPoPProof?
    let resources: [String]

    /// The thumbprint of the DPoP key.
    var key: String? { self.proof?.key }

    init(_ request: TokenRequest) throws(TokenError) {
      let form = request.form
      self.proof = request.proof
      self.origin = request.origin
      self.resources = form.values(of: "resource")
      guard let token = form["refresh_token"] else { throw TokenError(.invalidRequest, .missingParameter("refresh_token")) }
      guard let token = RefreshToken(token) else { throw TokenError(.invalidGrant, .refreshTokenUnknown) }
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

  typealias Loaded = Granted<RefreshTokenRecord>

  // MARK: Validate

  struct ValidatedGrant: Sendable {
    let token: RefreshTokenRecord
    private(set) var grant: GrantRecord
    let scope: Scope
    let resources: [String]

    fileprivate init(_ loaded: Loaded, scope: Scope, resources: [String]) {
      self.token = loaded.credential
      self.grant = loaded.grant
      // OpenID Connect Core §12.2: the nonce belongs to the first ID token.
      self.grant.nonce = nil
      self.scope = scope
      self.resources = resources
    }
  }

  /// Validates a refresh. Pure. Reuse is checked later, in ``rotate(_:to:lifetimes:from:at:in:)``, because it changes
  /// the store.
  static func validate(
    _ loaded: Loaded?, _ request: Request, _ client: ClientRecord, issuer: Issuer, at now: Timestamp
  ) throws(TokenError) -> ValidatedGrant {
    guard let loaded else { throw TokenError(.invalidGrant, .refreshTokenUnknown) }
    guard loaded.grant.client == client.id else { throw TokenError(.invalidGrant, .refreshTokenOfAnotherClient) }
    guard loaded.grant.revokedAt == nil, now < loaded.grant.expiresAt else { throw TokenError(.invalidGrant, .grantEnded) }
    try loaded.account.checkUpholds(decisionAt: loaded.grant.createdAt)
    guard loaded.credential.consumedAt != nil || now < loaded.credential.expiresAt else {
      throw TokenError(.invalidGrant, .refreshTokenExpired)
    }
    // RFC 9449 §5: a confidential client's refresh token is bound to the client, and its key may change.
    if !client.isConfidential { try TokenRequest.checkBinding(loaded.grant.boundKey, request.key) }
    let scope = try self.scope(request.scope, within: loaded.grant)
    do {
      let resources = try ResourceIndicators.narrowed(request.resources, within: loaded.grant.resources, issuer: issuer)
      return ValidatedGrant(loaded, scope: scope, resources: resources)
    } catch { throw TokenError(.invalidTarget, .resource(error)) }
  }

  /// RFC 6749 §6: the scope must not exceed the granted one. A client may repeat the scope that it originally
  /// requested, as some libraries do at every refresh; it then gets the granted scope.
  static func scope(_ requested: Scope?, within grant: GrantRecord) throws(TokenError) -> Scope {
    guard let requested, !requested.isEmpty, requested != grant.requestedScope else { return grant.scope }
    guard grant.scope.contains(requested) else { throw TokenError(.invalidScope, .scopeExceedsGrant) }
    return requested
  }

  // MARK: Persist

  private enum Outcome: Sendable {
    case rotated
    /// The client lost the response. This is the successor, sealed under the presented token.
    case sameSuccessor(sealed: [UInt8])
  }

  /// Validates the request and rotates the token in one transaction.
  private func rotate(
    _ request: Request, _ client: ClientRecord, to successor: RefreshTokenSuccessor, at now: Timestamp
  ) async throws(TokenError) -> (ValidatedGrant, Outcome) {
    let (lifetimes, issuer) = (self.lifetimes, self.minter.configuration.issuer)
    let result: Result<(ValidatedGrant, Outcome), TokenError>
    do {
      result = try await self.store.write { (tx) throws(StoreError) -> Result<(ValidatedGrant, Outcome), TokenError> in
        let loaded = try tx.refreshToken(request.token)
        if let proof = request.proof, loaded?.grant.client == client.id, try !proof.use(in: &tx) {
          return .failure(TokenError(.replayed))
        }
        let validated = Result { () throws(TokenError) in
          try Self.validate(loaded, request, client, issuer: issuer, at: now)
        }
        switch validated {
        case .success(let grant):
          return try Self.rotate(grant, to: successor, lifetimes: lifetimes, from: request.origin, at: now, in: &tx)
            .map { (grant, $0) }
        case .failure(let refusal): return .failure(refusal)
        }
      }
    } catch { throw TokenError(storage: error) }
    return try result.get()
  }

  /// Rotates the token. A failure that revokes the grant is returned instead of thrown, so that the transaction
  /// commits.
  private static func rotate(
    _ granted: ValidatedGrant, to successor: RefreshTokenSuccessor, lifetimes: Lifetimes, from origin: AuditOrigin,
    at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<Outcome, TokenError> {
    let (token, grant) = (granted.token, granted.grant)
    if try tx.consumeRefreshToken(token.id, sealedSuccessor: successor.sealed, at: now) {
      try tx.insert(RefreshTokenRecord(token.id.successor, successor.fingerprint, of: grant, lifetimes, at: now))
      try tx.forgetSealedSuccessor(of: token.id.predecessor)
      return .success(.rotated)
    }
    guard let consumedAt = token.consumedAt else { return .failure(TokenError(.invalidGrant, .grantEnded)) }
    if let sealed = token.sealedSuccessor, now < consumedAt + lifetimes.lostReplyWindow {
      return .success(.sameSuccessor(sealed: sealed))
    }
    try tx.end(grant, for: .refreshTokenReused, from: origin, at: now)
    return .failure(TokenError(.invalidGrant, .refreshTokenReused))
  }
}
