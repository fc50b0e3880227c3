package import SallyportProtocol

/// Signs the tokens of a grant: an access token (RFC 9068), and an ID token if the scope includes `openid`.
package final class TokenMinter: Sendable {
  let configuration: ServerConfiguration
  private let cache: ConfigurationCache

  init(configuration: ServerConfiguration, cache: ConfigurationCache) {
    self.configuration = configuration
    self.cache = cache
  }

  /// Returns the keys that sign for a client. Call this before consuming a credential, so that a missing key does not
  /// cost the client its code.
  package func signers(for client: ClientRecord, at now: Timestamp) async throws(TokenError) -> TokenSigners {
    do {
      let ring = try await self.cache.keyRing()
      guard let accessToken = ring.signer(.es256, at: now),
        let algorithm = SigningKey.Algorithm(rawValue: client.signingAlgorithm),
        let idToken = ring.signer(algorithm, at: now)
      else { throw KeyRingError.noActiveKey(client.signingAlgorithm) }
      return TokenSigners(accessToken: accessToken, idToken: idToken)
    } catch let error as StoreError {
      throw TokenError(storage: error)
    } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  /// Creates a token response with newly signed tokens.
  /// - Parameters:
  ///   - access: The scope and resources, which may be a part of the grant's.
  ///   - refreshToken: A refresh token that is already in the store.
  package func response(
    for grant: GrantRecord, of account: AccountRecord? = nil, _ access: TokenAccess, refreshToken: Secret<String>?,
    signedBy signers: TokenSigners, at now: Timestamp
  ) throws(TokenError) -> TokenResponse {
    do {
      let accessToken = try signers.accessToken.sign(self.accessTokenClaims(grant, access, at: now), as: .accessToken)
      let idToken =
        access.scope.contains(.openID)
        ? try signers.idToken.sign(
          self.idTokenClaims(grant, account, accessToken: accessToken, algorithm: signers.idToken.key.algorithm, at: now),
          as: .idToken)
        : nil
      return TokenResponse(
        accessToken: accessToken, tokenType: access.key == nil ? "Bearer" : "DPoP",
        expiresIn: Int(self.configuration.lifetimes.accessToken.components.seconds), refreshToken: refreshToken,
        scope: access.scope, idToken: idToken)
    } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  /// Creates a token response for a client that acts for itself (RFC 6749 §4.4.3).
  package func response(
    for client: ClientRecord, _ access: TokenAccess, signedBy signers: TokenSigners, at now: Timestamp
  ) throws(TokenError) -> TokenResponse {
    // RFC 9068 §2.2: without a user, the subject is the client. Client and account identifiers differ (RFC 9700 §4.15).
    let claims = self.claims(subject: client.id.rawValue, client: client.id, access, at: now)
    do {
      return TokenResponse(
        accessToken: try signers.accessToken.sign(claims, as: .accessToken),
        tokenType: access.key == nil ? "Bearer" : "DPoP",
        expiresIn: Int(self.configuration.lifetimes.accessToken.components.seconds), scope: access.scope)
    } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  private func accessTokenClaims(_ grant: GrantRecord, _ access: TokenAccess, at now: Timestamp) -> AccessTokenClaims {
    var claims = self.claims(subject: grant.account.rawValue, client: grant.client, access, at: now)
    claims.authenticationTime = grant.authenticatedAt.seconds
    claims.grant = grant.id.rawValue
    claims.authenticationContext = grant.authenticationContext
    claims.authenticationMethods = grant.authenticationMethods.isEmpty ? nil : grant.authenticationMethods
    return claims
  }

  private func claims(subject: String, client: ClientID, _ access: TokenAccess, at now: Timestamp) -> AccessTokenClaims {
    AccessTokenClaims(
      issuer: self.configuration.issuer.value, subject: subject,
      audience: ResourceIndicators.audience(access.resources, issuer: self.configuration.issuer),
      expiration: (now + self.configuration.lifetimes.accessToken).seconds, issuedAt: now.seconds,
      id: RandomText.base64URL(bits: 128), clientID: client.rawValue, scope: access.scope.description,
      confirmation: access.key.map { TokenConfirmation(keyThumbprint: $0) })
  }

  private func idTokenClaims(
    _ grant: GrantRecord, _ account: AccountRecord?, accessToken: Secret<String>, algorithm: SigningKey.Algorithm,
    at now: Timestamp
  ) -> IDTokenClaims {
    var claims = IDTokenClaims(
      issuer: self.configuration.issuer.value, subject: grant.account.rawValue, audience: Audience([grant.client.rawValue]),
      expiration: Double((now + self.configuration.lifetimes.idToken).seconds), issuedAt: Double(now.seconds))
    claims.nonce = grant.nonce
    claims.authenticationTime = Double(grant.authenticatedAt.seconds)
    claims.accessTokenHash = AccessTokenHash.of(accessToken, algorithm: algorithm.rawValue)
    claims.authenticationContext = grant.authenticationContext
    claims.authenticationMethods = grant.authenticationMethods.isEmpty ? nil : grant.authenticationMethods
    claims.sessionID = grant.sessionID
    if let account, let requested = RequestedClaims(stored: grant.requestedClaims)?.idToken { claims.add(requested, of: account) }
    return claims
  }
}

/// The keys that sign the tokens of a response.
package struct TokenSigners: Sendable {
  let accessToken: JWSSerializer
  let idToken: JWSSerializer
}

extension IDTokenClaims {
  /// Adds the claims that were requested individually for the ID token (OpenID Connect Core §5.5).
  fileprivate mutating func add(_ names: [String], of account: AccountRecord) {
    if names.contains("name") { self.name = account.name }
    if names.contains("preferred_username") { self.preferredUsername = account.username.value }
    if names.contains("email") { self.email = account.email }
    if names.contains("email_verified"), account.email != nil { self.emailVerified = false }
  }
}
