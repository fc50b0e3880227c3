package import SallyportProtocol

/// The userinfo endpoint (OpenID Connect Core §5.3).
package struct UserinfoEndpoint: Sendable {
  let accessTokens: AccessTokenVerifier
  let proofs: DPoPVerifier
  let cache: ConfigurationCache
  let configuration: ServerConfiguration
  let now: TimeSource

  /// The claims in the response, depending on the token's scope and the individually requested claims.
  package struct Claims: Encodable, Sendable, Equatable {
    package var sub: String
    package var name: String?
    package var preferredUsername: String?
    package var email: String?
    package var emailVerified: Bool?
    /// The language that the user has chosen; nil if there is none.
    package var locale: String?
    /// Present only in a signed response, like `aud`.
    package var iss: String?
    package var aud: String?

    private enum CodingKeys: String, CodingKey {
      case sub, name, email, locale, iss, aud
      case preferredUsername = "preferred_username"
      case emailVerified = "email_verified"
    }
  }

  /// The token in a request, and how it is presented.
  package struct PresentedToken: Sendable {
    package enum Scheme: Sendable, Equatable { case bearer, dpop }
    package var token: Secret<String>
    package var scheme: Scheme
    /// The values of the DPoP header fields.
    package var proofs: [String]
    /// The HTTP method of the request, which the proof must name.
    package var method: String

    package init(token: Secret<String>, scheme: Scheme = .bearer, proofs: [String] = [], method: String = "GET") {
      self.token = token
      self.scheme = scheme
      self.proofs = proofs
      self.method = method
    }
  }

  /// The response: JSON, or a JWT if the client registered an algorithm for it (OpenID Connect Core §5.3.2).
  package enum Response: Sendable {
    case claims(Claims)
    case signed(Secret<String>)
  }

  /// - Parameter presented: The token in the request; nil if the request contains none.
  package func respond(to presented: PresentedToken?) async throws(UserinfoError) -> Response {
    guard let presented else { throw .tokenMissing }
    let claims: AccessTokenClaims?
    do { claims = try await self.accessTokens.claims(of: presented.token) } catch { throw UserinfoError(error) }
    guard let claims,
      claims.audience.values.contains(where: { ResourceIndicator.areEquivalent($0, self.configuration.issuer.value) })
    else { throw .invalidToken }
    let proof = try self.checkPossession(presented, of: claims)
    guard let scope = Scope(claims.scope ?? ""), scope.contains(.openID) else { throw .insufficientScope }
    let status: AccessTokenVerifier.Status
    do { status = try await self.accessTokens.status(of: claims) } catch { throw .storage(error) }
    // A token of client credentials has no user.
    guard case .active(let owner?) = status else { throw .invalidToken }
    if let proof {
      do { try await self.proofs.consume(proof) } catch { throw .proof(error) }
    }
    let requested = RequestedClaims(stored: owner.requestedClaims)?.userinfo ?? []
    return try await self.response(
      Self.claims(of: owner.account, scope: scope, requested: requested), to: ClientID(rawValue: claims.clientID))
  }

  /// Checks the scheme and the proof: a token that is bound to a key must be sent with the DPoP scheme and a proof of
  /// this key (RFC 9449 §7), and any other token with the Bearer scheme.
  /// - Returns: The proof, which is consumed after all other checks; nil for a token that is not bound to a key.
  private func checkPossession(
    _ presented: PresentedToken, of claims: AccessTokenClaims
  ) throws(UserinfoError) -> UnusedDPoPProof? {
    switch (presented.scheme, claims.confirmation) {
    case (.bearer, nil): return nil
    case (.bearer, .some), (.dpop, nil): throw .wrongScheme
    case (.dpop, let confirmation?):
      let proof: UnusedDPoPProof?
      do throws(DPoPError) {
        proof = try self.proofs.check(
          presented.proofs, at: EndpointPath.userinfo, method: presented.method, accessToken: presented.token)
      } catch { throw .proof(error) }
      guard let proof else { throw .proofMissing }
      guard constantTimeEqual(proof.jkt.utf8, confirmation.keyThumbprint.utf8) else { throw .proof(.proof(.keyMismatch)) }
      return proof
    }
  }

  /// Signs the response if the client registered `userinfo_signed_response_alg` (OpenID Connect Core §5.3.2).
  private func response(_ claims: Claims, to id: ClientID) async throws(UserinfoError) -> Response {
    let client: ClientRecord?
    do { client = try await self.cache.client(id) } catch { throw .storage(error) }
    guard let name = client?.details.userinfoAlgorithm else { return .claims(claims) }
    var signed = claims
    signed.iss = self.configuration.issuer.value
    signed.aud = id.rawValue
    let ring: KeyRing
    do { ring = try await self.cache.keyRing() } catch { throw UserinfoError(error) }
    // With `.idToken`, the header's `typ` is `JWT`, as in any JWT without a type of its own.
    guard let algorithm = SigningKey.Algorithm(rawValue: name), let signer = ring.signer(algorithm, at: self.now()),
      let token = try? signer.sign(signed, as: .idToken)
    else { throw .signing }
    return .signed(token)
  }

  /// Returns the claims of an account (OpenID Connect Core §5.4).
  static func claims(of account: AccountRecord, scope: Scope, requested: [String] = []) -> Claims {
    func isIncluded(_ claim: String, _ claimScope: Scope) -> Bool { scope.contains(claimScope) || requested.contains(claim) }
    var claims = Claims(sub: account.id.rawValue)
    if isIncluded("name", .profile) { claims.name = account.name }
    if isIncluded("preferred_username", .profile) { claims.preferredUsername = account.username.value }
    if isIncluded("locale", .profile) { claims.locale = account.language }
    if let email = account.email {
      if isIncluded("email", .email) { claims.email = email }
      if isIncluded("email_verified", .email) { claims.emailVerified = account.emailVerifiedAt != nil }
    }
    return claims
  }
}

// Members are written in alphabetical order.
extension UserinfoEndpoint.Claims: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("aud", self.aud)
    object.add("email", self.email)
    object.add("email_verified", self.emailVerified)
    object.add("iss", self.iss)
    object.add("locale", self.locale)
    object.add("name", self.name)
    object.add("preferred_username", self.preferredUsername)
    object.add("sub", self.sub)
  }
}
