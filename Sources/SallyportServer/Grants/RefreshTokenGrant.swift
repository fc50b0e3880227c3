import SallyportProtocol

/// `grant_type=refresh_token` (RFC 6749 §6) with rotation and reuse detection (RFC 9700 §4.14.2).
///
/// Every refresh replaces the token. A client that lost the response can present the replaced token again: within the
/// reuse interval, and until the successor is used, it receives the same successor. Later, a refresh with the replaced
/// token revokes the grant, if it passes the other checks or fails because the user's authentication is too weak.
struct RefreshTokenGrant: CredentialGrant {
  let request: TokenRequest
  let token: RefreshToken
  /// The requested scope; nil if the request does not name one. The granted scope then applies.
  private let requestedScope: Scope?
  private let successor: RefreshTokenSuccessor

  enum Outcome: Sendable {
    case rotated(RefreshTokenID)
    /// The client presented a replaced token again, for example because it lost the response. The successor is sealed
    /// under the presented token.
    case sameSuccessor(RefreshTokenID, sealed: [UInt8])
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

  func consumesProof(for token: GrantedCredential<RefreshTokenRecord>, after error: TokenError?) -> Bool {
    token.grant.client == self.request.client.id
  }

  // MARK: Store

  /// Rotates the token. Reuse is detected here and not in ``validate(_:_:)``, because the store decides which of two
  /// concurrent requests is first.
  func redeem(
    _ presented: GrantedCredential<RefreshTokenRecord>, as validated: ValidatedGrant, _ context: GrantContext,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<Outcome, TokenError> {
    let (token, grant, now) = (presented.credential, validated.grant, context.now)
    if try tx.consumeRefreshToken(token.id, sealedSuccessor: self.successor.sealed, at: now) {
      let record = RefreshTokenRecord(token.id.successor, self.successor.fingerprint, of: grant, context.lifetimes, at: now)
      try tx.insert(record)
      try tx.forgetSealedSuccessor(of: token.id.predecessor)
      return .success(.rotated(record.id))
    }
    // The token could not be consumed. If it was not consumed when it was loaded, another transaction has since consumed
    // it or revoked the grant.
    guard let consumedAt = token.consumedAt else { return .failure(.grantEnded) }
    if let sealed = Self.sealedSuccessor(of: token, consumedAt: consumedAt, context) {
      return .success(.sameSuccessor(token.id.successor, sealed: sealed))
    }
    try tx.end(grant, for: .refreshTokenReused, from: self.request.origin, at: now)
    return .failure(.refreshTokenReused)
  }

  /// Returns the successor for a client that lost the response; nil if the reuse interval has passed or the successor was
  /// used.
  private static func sealedSuccessor(
    of token: RefreshTokenRecord, consumedAt: Timestamp, _ context: GrantContext
  ) -> [UInt8]? {
    context.now < consumedAt + context.lifetimes.reuseInterval ? token.sealedSuccessor : nil
  }

  /// Revokes the grant of a reused token if the refresh failed because the user's authentication was too weak. Otherwise, a
  /// stolen token could be used again without notice while an operator requires a stronger sign-in. After a successful
  /// validation, ``redeem(_:as:_:in:)`` detects reuse.
  func record(
    _ error: TokenError, of token: GrantedCredential<RefreshTokenRecord>, _ context: GrantContext,
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
    case .rotated(let id): RefreshToken(self.successor.secret, id).text
    case .sameSuccessor(let id, let sealed):
      RefreshToken(try RefreshTokenSuccessor.open(sealed, under: self.token), id).text
    }
  }
}
