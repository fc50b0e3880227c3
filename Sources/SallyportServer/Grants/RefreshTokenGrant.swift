import SallyportProtocol

/// `grant_type=refresh_token` (RFC 6749 §6) with rotation and reuse detection (RFC 9700 §4.14.2).
///
/// A refresh consumes the presented token and issues its successor. A client that lost the response can present the
/// consumed token again: it gets the same successor as long as the reuse interval has not passed and the successor has
/// not been used.
///
/// After that, presenting the consumed token is reuse. The token may be stolen, so reuse revokes the grant. Reuse is
/// detected in two places: in ``redeem(_:as:_:in:)`` if the request passes all other checks, and in
/// ``applyEffects(of:on:_:in:)`` if it fails because the user's authentication is too weak. A request that fails
/// another check does not revoke the grant.
struct RefreshTokenGrant: CredentialGrant {
  let request: TokenRequest
  let token: RefreshToken
  /// The requested scope; nil if the request does not name one. The granted scope then applies.
  private let requestedScope: Scope?
  /// A new token, which is used only if this request consumes the presented one.
  private let successor: RefreshTokenSuccessor

  /// Which refresh token the response contains.
  enum Outcome: Sendable {
    /// The new ``successor``, with this identifier.
    case newSuccessor(RefreshTokenID)
    /// The successor that an earlier request with the same token issued. The store contains the successor's secret only
    /// in sealed form, and only the presented token can open it.
    case earlierSuccessor(RefreshTokenID, sealed: [UInt8])
  }

  static var unknownCredential: TokenError { .refreshTokenUnknown }

  // MARK: Parse

  init(_ request: TokenRequest) throws(TokenError) {
    self.request = request
    guard let token = RefreshToken(try request.value(of: "refresh_token")) else { throw .refreshTokenUnknown }
    self.token = token
    self.requestedScope = try request.scope()
    self.successor = try RefreshTokenSuccessor(of: token)
  }

  // MARK: Load and validate

  func load(in tx: inout any StoreTransaction) throws(StoreError) -> GrantedCredential<RefreshTokenRecord>? {
    try tx.refreshToken(self.token)
  }

  func validate(_ token: GrantedCredential<RefreshTokenRecord>, _ context: GrantContext) throws(TokenError) -> ValidatedGrant {
    try ValidatedGrant(token, for: self, context)
  }

  /// RFC 6749 §6: the scope must not exceed the granted one. A client may repeat the scope that it originally
  /// requested, as some libraries do at every refresh; it then gets the granted scope.
  func scope(within grant: GrantRecord) throws(TokenError) -> Scope {
    guard let requested = self.requestedScope, !requested.isEmpty, requested != grant.requestedScope else {
      return grant.scope
    }
    guard grant.scope.contains(requested) else { throw .scopeExceedsGrant }
    return requested
  }

  /// Returns whether to consume the proof. Any request with a token of this client consumes its proof, even if it
  /// fails, so nobody who sees the request can use its proof with a corrected request (decision 0011).
  func consumesProof(for token: GrantedCredential<RefreshTokenRecord>, after error: TokenError?) -> Bool {
    token.grant.client == self.request.client.id
  }

  // MARK: Store

  /// Consumes the token and adds its successor. If the token was consumed before, returns the earlier successor, or
  /// detects reuse. ``validate(_:_:)`` cannot do this, because the store decides which of two concurrent requests is
  /// first.
  func redeem(
    _ presented: GrantedCredential<RefreshTokenRecord>, as validated: ValidatedGrant, _ context: GrantContext,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<Outcome, TokenError> {
    let (token, grant, now) = (presented.credential, validated.grant, context.now)
    if try tx.consumeRefreshToken(token.id, sealedSuccessor: self.successor.sealed, at: now) {
      let record = RefreshTokenRecord(token.id.successor, self.successor.fingerprint, of: grant, context.lifetimes, at: now)
      try tx.insert(record)
      // RFC 9449 §5: the new refresh token of a public client is bound to the key of a proof, even if the sign-in had
      // no proof.
      if grant.jkt == nil, !self.request.client.isConfidential, let jkt = self.request.jkt, try !tx.bindGrant(grant.id, to: jkt) {
        throw .rolledBack
      }
      // The presented token has now been used, so a client that presents its predecessor must no longer get it.
      try tx.forgetSealedSuccessor(of: token.id.predecessor)
      return .success(.newSuccessor(record.id))
    }
    // The token was loaded in this transaction, so no other transaction can have consumed it or revoked the grant since
    // then. If a store allowed that anyway, no token may be issued.
    guard let consumedAt = token.consumedAt else { return .failure(.grantEnded) }
    if let sealed = Self.sealedSuccessor(of: token, consumedAt: consumedAt, context) {
      return .success(.earlierSuccessor(token.id.successor, sealed: sealed))
    }
    try tx.end(grant, for: .refreshTokenReused, from: self.request.origin, at: now)
    return .failure(.refreshTokenReused)
  }

  /// Returns the sealed successor of a consumed token, for a client that lost the response; nil if the reuse interval
  /// has passed or the successor has been used, so that presenting the token is reuse.
  private static func sealedSuccessor(
    of token: RefreshTokenRecord, consumedAt: Timestamp, _ context: GrantContext
  ) -> [UInt8]? {
    context.now < consumedAt + context.lifetimes.reuseInterval ? token.sealedSuccessor : nil
  }

  /// Revokes the grant if the token is reused and the validation failed because the user's authentication is too weak.
  /// Otherwise, reuse would go unnoticed for as long as an operator requires a stronger sign-in.
  func applyEffects(
    of error: TokenError, on token: GrantedCredential<RefreshTokenRecord>, _ context: GrantContext,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    guard case .authenticationTooWeak = error, let consumedAt = token.credential.consumedAt,
      Self.sealedSuccessor(of: token.credential, consumedAt: consumedAt, context) == nil
    else { return }
    try tx.end(token.grant, for: .refreshTokenReused, from: self.request.origin, at: context.now)
  }

  // MARK: Respond

  func refreshToken(for grant: ValidatedGrant, _ outcome: Outcome) throws(TokenError) -> Secret<String>? {
    switch outcome {
    case .newSuccessor(let id): RefreshToken(self.successor.secret, id).text
    case .earlierSuccessor(let id, let sealed):
      RefreshToken(try RefreshTokenSuccessor.open(sealed, under: self.token), id).text
    }
  }
}
