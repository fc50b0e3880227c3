import SallyportProtocol

/// A request to redeem a credential of a user's grant: a code, a refresh token, or a device code.
///
/// ``GrantRedeemer`` runs these steps in one transaction:
/// 1. ``load(in:)`` finds the credential.
/// 2. ``validate(_:_:)`` checks the request.
/// 3. If ``consumesProof(for:after:)`` returns true, the DPoP proof is consumed.
/// 4. ``redeem(_:as:_:in:)`` consumes the credential. If the validation failed, ``applyEffects(of:on:_:in:)`` runs
///    instead.
///
/// After the transaction, ``refreshToken(for:_:)`` returns the refresh token for the response.
protocol CredentialGrant: Sendable {
  /// The credential's record, with the records that it refers to.
  associatedtype Credential: Sendable
  /// What ``redeem(_:as:_:in:)`` did, as far as the response depends on it.
  associatedtype Outcome: Sendable

  var request: TokenRequest { get }
  /// The error for a credential that does not exist.
  static var unknownCredential: TokenError { get }

  func load(in tx: inout any StoreTransaction) throws(StoreError) -> Credential?
  /// Checks everything except which of several requests with the same credential is first. Does not change the store.
  func validate(_ credential: Credential, _ context: GrantContext) throws(TokenError) -> ValidatedGrant
  /// Whether the DPoP proof of the request is consumed. If it is, nobody who sees the request can use its proof again,
  /// even if the request failed (decision 0011).
  /// - Parameter error: The error that ``validate(_:_:)`` threw; nil if it succeeded.
  func consumesProof(for credential: Credential, after error: TokenError?) -> Bool
  /// Consumes the credential. Only one caller can consume it, even if the store's transactions are not isolated from
  /// each other.
  /// - Returns: A failure if another caller has consumed the credential, unless this grant type lets the client repeat
  ///   the request. Unlike a thrown error, a failure does not roll back the transaction.
  func redeem(
    _ credential: Credential, as grant: ValidatedGrant, _ context: GrantContext, in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<Outcome, TokenError>
  /// Stores the effects of a failed validation: for example, raises a counter or ends the grant.
  func applyEffects(
    of error: TokenError, on credential: Credential, _ context: GrantContext, in tx: inout any StoreTransaction
  ) throws(StoreError)

  /// Returns the refresh token for the response; nil if the response has none.
  func refreshToken(for grant: ValidatedGrant, _ outcome: Outcome) throws(TokenError) -> Secret<String>?
}

/// The server's settings and the time of a token request.
struct GrantContext: Sendable {
  let configuration: ServerConfiguration
  let now: Timestamp
  /// The order in which the identifiers of new grants sort in the store.
  let grantOrder: GrantOrder

  var lifetimes: Lifetimes { self.configuration.lifetimes }
  var issuer: Issuer { self.configuration.issuer }
}

/// Redeems grants and signs the tokens for them.
struct GrantRedeemer: Sendable {
  let store: any Store
  let minter: TokenMinter
  let proofs: DPoPVerifier
  let now: TimeSource

  var configuration: ServerConfiguration { self.minter.configuration }

  /// Redeems a user's grant.
  func redeem(_ grant: some CredentialGrant) async throws(TokenError) -> TokenResponse {
    let context = GrantContext(
      configuration: self.configuration, now: self.now(), grantOrder: self.store.grantOrder)
    let signers = try await self.minter.signers(for: grant.request.client, at: context.now)
    let (validated, outcome) = try await self.redeem(grant, context)
    return try self.minter.response(
      for: validated, refreshToken: grant.refreshToken(for: validated, outcome), signedBy: signers, at: context.now)
  }

  /// Runs the steps of a grant in one transaction.
  ///
  /// The transaction returns a failure instead of throwing it, because a thrown error would roll back the effects of
  /// the failure, which must be stored.
  private func redeem<Grant: CredentialGrant>(
    _ grant: Grant, _ context: GrantContext
  ) async throws(TokenError) -> (ValidatedGrant, Grant.Outcome) {
    typealias Redeemed = Result<(ValidatedGrant, Grant.Outcome), TokenError>
    let result: Redeemed
    do {
      result = try await self.store.write { (tx) throws(StoreError) -> Redeemed in
        guard let credential = try grant.load(in: &tx) else { return .failure(Grant.unknownCredential) }
        let validated = Result { () throws(TokenError) in try grant.validate(credential, context) }
        if let proof = grant.request.proof, grant.consumesProof(for: credential, after: validated.error),
          try !proof.consume(in: &tx)
        {
          return .failure(.proofReplayed)
        }
        switch validated {
        case .success(let validated):
          return try grant.redeem(credential, as: validated, context, in: &tx).map { (validated, $0) }
        case .failure(let error):
          try grant.applyEffects(of: error, on: credential, context, in: &tx)
          return .failure(error)
        }
      }
    } catch { throw .storage(error) }
    return try result.get()
  }

  /// Issues a token to a client that acts for itself.
  func redeem(_ grant: ClientCredentialsGrant) async throws(TokenError) -> TokenResponse {
    let now = self.now()
    let signers = try await self.minter.signers(for: grant.client, at: now)
    if let proof = grant.proof {
      do { try await self.proofs.consume(proof) } catch { throw .request(ClientRequestError(error)) }
    }
    return try self.minter.response(for: grant, signedBy: signers, at: now)
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
