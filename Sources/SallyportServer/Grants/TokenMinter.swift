import SallyportProtocol

/// Signs the tokens of a grant: an access token (RFC 9068), and an ID token if the scope includes `openid`.
final class TokenMinter: Sendable {
  let configuration: ServerConfiguration
  private let cache: ConfigurationCache

  init(configuration: ServerConfiguration, cache: ConfigurationCache) {
    self.configuration = configuration
    self.cache = cache
  }

  /// Returns the keys that sign for a client. Call this before consuming a credential, so that the client can try again
  /// with the same credential if a key is missing.
  func signers(for client: ClientRecord, at now: Timestamp) async throws(TokenError) -> TokenSigners {
    do throws(KeyRingError) {
      let ring = try await self.cache.keyRing()
      // FAPI 2.0 Security Profile §5.4.1 does not allow RS256.
      let accessTokenAlgorithm = client.usesSecurityProfile ? .es256 : self.configuration.accessTokenAlgorithm
      guard let accessToken = ring.signer(SigningKey.Algorithm(accessTokenAlgorithm), at: now) else {
        throw .noActiveKey(accessTokenAlgorithm.rawValue)
      }
      guard let algorithm = SigningKey.Algorithm(rawValue: client.signingAlgorithm),
        let idToken = ring.signer(algorithm, at: now)
      else { throw .noActiveKey(client.signingAlgorithm) }
      return TokenSigners(accessToken: accessToken, idToken: idToken)
    } catch {
      if case .storage(let error) = error { throw .storage(error) }
      throw .keys(error)
    }
  }

  /// Creates a token response for a user's grant, with newly signed tokens.
  /// - Parameter refreshToken: A refresh token that is already in the store; nil for a response without a refresh
  ///   token.
  func response(
    for validated: ValidatedGrant, refreshToken: Secret<String>?, signedBy signers: TokenSigners, at now: Timestamp
  ) throws(TokenError) -> TokenResponse {
    let (grant, parameters) = (validated.grant, validated.parameters)
    do {
      let accessToken = try signers.accessToken.sign(self.accessTokenClaims(grant, parameters, at: now), as: .accessToken)
      var idToken: Secret<String>?
      if parameters.scope.contains(.openID) {
        let claims = self.idTokenClaims(validated, accessToken, signers.idToken.key.algorithm, at: now)
        idToken = try signers.idToken.sign(claims, as: .idToken)
      }
      return self.response(accessToken, parameters, refreshToken: refreshToken, idToken: idToken)
    } catch { throw .signing }
  }

  /// Creates a token response for a client that acts for itself (RFC 6749 §4.4.3).
  func response(
    for grant: ClientCredentialsGrant, signedBy signers: TokenSigners, at now: Timestamp
  ) throws(TokenError) -> TokenResponse {
    // RFC 9068 §2.2: without a user, the subject is the client. No client has the identifier of an account, so an API
    // cannot mistake the client for a user (RFC 9700 §4.15).
    let claims = self.claims(subject: grant.client.id.rawValue, client: grant.client.id, grant.parameters, at: now)
    do {
      var response = self.response(try signers.accessToken.sign(claims, as: .accessToken), grant.parameters)
      // RFC 6749 §3.3: a scope has at least one value.
      if grant.parameters.scope.isEmpty { response.scope = nil }
      return response
    } catch { throw .signing }
  }

  private func response(
    _ accessToken: Secret<String>, _ parameters: AccessTokenParameters, refreshToken: Secret<String>? = nil,
    idToken: Secret<String>? = nil
  ) -> TokenResponse {
    TokenResponse(
      accessToken: accessToken, tokenType: parameters.jkt == nil ? "Bearer" : "DPoP",
      expiresIn: Int(self.configuration.lifetimes.accessToken.components.seconds), refreshToken: refreshToken,
      scope: parameters.scope, idToken: idToken)
  }

  private func accessTokenClaims(_ grant: GrantRecord, _ parameters: AccessTokenParameters, at now: Timestamp)
    -> AccessTokenClaims
  {
    var claims = self.claims(subject: grant.account.rawValue, client: grant.client, parameters, at: now)
    claims.authenticationTime = grant.authenticatedAt.seconds
    claims.grant = grant.id.rawValue
    claims.authenticationContext = grant.authenticationContext
    claims.authenticationMethods = grant.authenticationMethods.isEmpty ? nil : grant.authenticationMethods
    return claims
  }

  private func claims(subject: String, client: ClientID, _ parameters: AccessTokenParameters, at now: Timestamp)
    -> AccessTokenClaims
  {
    AccessTokenClaims(
      issuer: self.configuration.issuer.value, subject: subject,
      audience: ResourceIndicators.audience(parameters.resources, issuer: self.configuration.issuer),
      expiration: (now + self.configuration.lifetimes.accessToken).seconds, issuedAt: now.seconds,
      id: RandomText.base64URL(bits: 128), clientID: client.rawValue,
      scope: parameters.scope.isEmpty ? nil : parameters.scope.description,
      confirmation: parameters.jkt.map { TokenConfirmation(keyThumbprint: $0) })
  }

  private func idTokenClaims(
    _ validated: ValidatedGrant, _ accessToken: Secret<String>, _ algorithm: SigningKey.Algorithm, at now: Timestamp
  ) -> IDTokenClaims {
    let grant = validated.grant
    var claims = IDTokenClaims(
      issuer: self.configuration.issuer.value, subject: grant.account.rawValue, audience: Audience([grant.client.rawValue]),
      expiration: Double((now + self.configuration.lifetimes.idToken).seconds), issuedAt: Double(now.seconds))
    claims.nonce = grant.nonce
    claims.authenticationTime = Double(grant.authenticatedAt.seconds)
    claims.accessTokenHash = AccessTokenHash.of(accessToken, algorithm: algorithm.rawValue)
    claims.authenticationContext = grant.authenticationContext
    claims.authenticationMethods = grant.authenticationMethods.isEmpty ? nil : grant.authenticationMethods
    claims.sessionID = grant.sessionID
    if let account = validated.account, let requested = RequestedClaims(stored: grant.requestedClaims)?.idToken {
      claims.add(requested, of: account)
    }
    return claims
  }
}

/// The keys that sign the tokens of a response.
struct TokenSigners: Sendable {
  let accessToken: JWSSerializer
  let idToken: JWSSerializer
}

extension IDTokenClaims {
  /// Adds the claims that were requested individually for the ID token (OpenID Connect Core §5.5).
  fileprivate mutating func add(_ names: [String], of account: AccountRecord) {
    if names.contains("name") { self.name = account.name }
    if names.contains("preferred_username") { self.preferredUsername = account.username.value }
    if names.contains("locale") { self.locale = account.language }
    if names.contains("email") { self.email = account.email }
    if names.contains("email_verified"), account.email != nil { self.emailVerified = account.emailVerifiedAt != nil }
  }
}
