package import SallyportProtocol

/// The userinfo endpoint, OpenID Connect Core §5.3.
package struct UserinfoEndpoint<S: Store>: Sendable {
  let store: S
  let accessTokens: AccessTokenVerifier<S>
  let now: TimeSource

  /// The claims that the token's scope opens.
  package struct Claims: Encodable, Sendable, Equatable {
    package var sub: String
    package var name: String?
    package var preferredUsername: String?
    package var email: String?
    package var emailVerified: Bool?

    private enum CodingKeys: String, CodingKey {
      case sub, name, email
      case preferredUsername = "preferred_username"
      case emailVerified = "email_verified"
    }
  }

  /// A refusal, RFC 6750 §3.1.
  package enum Refusal: Error, Equatable, Sendable {
    case tokenMissing
    /// Not ours, expired, revoked, or of an account that was disabled.
    case invalidToken
    /// The token was not granted `openid`.
    case insufficientScope
    case storage(StoreError)
    case signing
  }

  /// - Parameter token: the bearer token of the Authorization header.
  package func claims(for token: Secret<String>?) async throws(Refusal) -> Claims {
    guard let token else { throw .tokenMissing }
    let claims: AccessTokenClaims?
    do { claims = try await self.accessTokens.claims(of: token) } catch { throw .signing }
    guard let claims else { throw .invalidToken }
    guard let scope = Scope(claims.scope), scope.contains(.openID) else { throw .insufficientScope }
    guard let account = try await self.account(of: claims) else { throw .invalidToken }
    return Self.claims(of: account, scope: scope)
  }

  /// The account, where its grant still holds: looked up each time, so that a revocation bites at once.
  private func account(of claims: AccessTokenClaims) async throws(Refusal) -> AccountRecord? {
    let (id, now) = (GrantID(rawValue: claims.grant), self.now())
    do {
      return try await self.store.read { (tx) throws(StoreError) -> AccountRecord? in
        guard let grant = try tx.grant(id), grant.revokedAt == nil, now < grant.expiresAt,
          let account = try tx.account(grant.account), account.disabledAt == nil
        else { return nil }
        return account
      }
    } catch { throw .storage(error) }
  }

  /// OpenID Connect Core §5.4. Nobody has checked the address, so it is not called verified.
  static func claims(of account: AccountRecord, scope: Scope) -> Claims {
    var claims = Claims(sub: account.id.rawValue)
    if scope.contains(.profile) {
      claims.name = account.name
      claims.preferredUsername = account.username.value
    }
    if scope.contains(.email), let email = account.email {
      claims.email = email
      claims.emailVerified = false
    }
    return claims
  }
}
