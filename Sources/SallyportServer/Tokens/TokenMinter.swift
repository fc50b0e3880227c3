package import SallyportProtocol

/// Signs the tokens of a grant: an access token (RFC 9068), and an ID token where `openid` was granted.
package struct TokenMinter<S: Store>: Sendable {
  let configuration: ServerConfiguration
  let cache: ConfigurationCache<S>

  /// What was signed, with the access token's life time.
  package struct Minted: Sendable {
    package let accessToken: Secret<String>
    package let idToken: Secret<String>?
    package let scope: Scope
    package let lifetime: Duration

    /// The answer of the token endpoint.
    package func response(refreshToken: Secret<String>?) -> TokenResponse {
      TokenResponse(
        accessToken: self.accessToken, expiresIn: Int(self.lifetime.components.seconds), refreshToken: refreshToken,
        scope: self.scope, idToken: self.idToken)
    }
  }

  /// - Parameter scope: the grant's scope or a part of it.
  package func mint(
    for grant: GrantRecord, of account: AccountRecord, to client: ClientRecord, scope: Scope, at now: Timestamp
  ) async throws(TokenError) -> Minted {
    do {
      let ring = try await self.cache.keyRing()
      guard let accessSigner = ring.signer(.es256, at: now),
        let algorithm = SigningKey.Algorithm(rawValue: client.signingAlgorithm),
        let idSigner = ring.signer(algorithm, at: now)
      else { throw KeyRingError.noActiveKey(client.signingAlgorithm) }
      let accessToken = try accessSigner.sign(self.accessTokenClaims(grant, scope: scope, at: now), as: .accessToken)
      let idToken =
        scope.contains(.openID)
        ? try idSigner.sign(
          self.idTokenClaims(grant, accessToken: accessToken, algorithm: algorithm, at: now), as: .idToken)
        : nil
      return Minted(
        accessToken: accessToken, idToken: idToken, scope: scope, lifetime: self.configuration.lifetimes.accessToken)
    } catch let error as StoreError {
      throw TokenError(storage: error)
    } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  private func accessTokenClaims(_ grant: GrantRecord, scope: Scope, at now: Timestamp) -> AccessTokenClaims {
    AccessTokenClaims(
      issuer: self.configuration.issuer.value, subject: grant.account.rawValue,
      audience: Audience([self.configuration.issuer.value]),
      expiration: (now + self.configuration.lifetimes.accessToken).seconds, issuedAt: now.seconds,
      id: RandomText.base64URL(bits: 128), clientID: grant.client.rawValue, scope: scope.description,
      authenticationTime: grant.authenticatedAt.seconds, grant: grant.id.rawValue)
  }

  private func idTokenClaims(
    _ grant: GrantRecord, accessToken: Secret<String>, algorithm: SigningKey.Algorithm, at now: Timestamp
  ) -> IDTokenClaims {
    var claims = IDTokenClaims(
      issuer: self.configuration.issuer.value, subject: grant.account.rawValue, audience: Audience([grant.client.rawValue]),
      expiration: Double((now + self.configuration.lifetimes.idToken).seconds), issuedAt: Double(now.seconds))
    claims.nonce = grant.nonce
    claims.authenticationTime = Double(grant.authenticatedAt.seconds)
    claims.accessTokenHash = AccessTokenHash.of(accessToken, algorithm: algorithm.rawValue)
    return claims
  }
}
