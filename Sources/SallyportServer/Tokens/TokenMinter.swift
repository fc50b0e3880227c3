package import SallyportProtocol

/// Signs the tokens of a grant: an access token (RFC 9068), and an ID token where `openid` was granted.
package struct TokenMinter<S: Store>: Sendable {
  let configuration: ServerConfiguration
  let cache: ConfigurationCache<S>

  /// The keys that sign for a client. Looked up before anything is stored, so that a missing key costs nobody their code.
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

  /// The answer of the token endpoint, with freshly signed tokens.
  /// - Parameters:
  ///   - scope: the grant's scope or a part of it.
  ///   - refreshToken: what the store has taken down already.
  package func response(
    for grant: GrantRecord, scope: Scope, refreshToken: Secret<String>?, signedBy signers: TokenSigners, at now: Timestamp
  ) throws(TokenError) -> TokenResponse {
    do {
      let accessToken = try signers.accessToken.sign(self.accessTokenClaims(grant, scope: scope, at: now), as: .accessToken)
      let idToken =
        scope.contains(.openID)
        ? try signers.idToken.sign(
          self.idTokenClaims(grant, accessToken: accessToken, algorithm: signers.idToken.key.algorithm, at: now), as: .idToken)
        : nil
      return TokenResponse(
        accessToken: accessToken, expiresIn: Int(self.configuration.lifetimes.accessToken.components.seconds),
        refreshToken: refreshToken, scope: scope, idToken: idToken)
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

/// The keys of one answer: its access token's and its ID token's.
package struct TokenSigners: Sendable {
  let accessToken: JWSSerializer
  let idToken: JWSSerializer
}
