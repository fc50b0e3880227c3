import Crypto
package import SallyportProtocol

/// The values of a sign-in in progress that the response is checked against.
///
/// Each random value is used for one request only. The redirect URI is one of the values, as RFC 8252 §8.10 requires.
package struct PendingSignIn: Sendable {
  package let issuer: Issuer
  package let clientID: String
  /// The name that the app gives to the account, or `nil` for the unnamed account.
  package let account: String?
  package let redirectURI: RedirectURI
  package let scope: Scope
  package let codeVerifier: CodeVerifier
  /// 256 random bits (RFC 8252 §8.9).
  package let state: Secret<String>
  /// 256 random bits. Sent if the request asks for an ID token.
  package let nonce: Secret<String>
  /// The other values that the response is checked against, and values that are stored with the tokens.
  package var details = SignInDetails()
  /// When the sign-in expires.
  package let expiresAt: Timestamp
  /// Whether to revoke the refresh token of the session that this sign-in replaces.
  package let revokesReplaced: Bool

  /// Creates a sign-in with a new verifier, state, and nonce.
  package init(
    issuer: Issuer, clientID: String, account: String? = nil, redirectURI: RedirectURI, scope: Scope,
    expiresAt: Timestamp = Timestamp(milliseconds: .max), revokesReplaced: Bool = false
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.account = account
    self.redirectURI = redirectURI
    self.scope = scope
    self.codeVerifier = .random()
    self.state = Secret(RandomText.base64URL(bits: 256))
    self.nonce = Secret(RandomText.base64URL(bits: 256))
    self.expiresAt = expiresAt
    self.revokesReplaced = revokesReplaced
  }

  /// Creates a sign-in from its stored form.
  init(_ record: PendingRecord, issuer: Issuer, clientID: String) throws {
    self.issuer = issuer
    self.clientID = clientID
    self.account = record.account
    // The redirect URI was checked before it was stored. It may have a legacy form that only this initializer accepts.
    self.redirectURI = try RedirectURI(insecureLegacyRedirect: record.redirectURI)
    self.scope = Scope(record.scope) ?? Scope([])
    self.codeVerifier = try CodeVerifier(record.codeVerifier)
    self.state = Secret(record.state)
    self.nonce = Secret(record.nonce)
    self.expiresAt = Timestamp(milliseconds: record.expiresAt)
    self.revokesReplaced = record.revokesReplaced
    self.details = record.details.details
  }

  /// The identifier in the store: a hash of the state.
  var id: String { Self.id(state: self.state) }

  static func id(state: Secret<String>) -> String {
    Base64URL.encode(SHA256.hash(data: Array(state.reveal().utf8)))
  }

  /// The session that this sign-in creates.
  var session: StoredSession { StoredSession(issuer: self.issuer, clientID: self.clientID, account: self.account) }

  /// Whether this is an OpenID Connect request, whose response contains an ID token.
  package var asksForIDToken: Bool { self.scope.contains(.openID) }

  /// Returns the authorization request (RFC 6749 §4.1.1). The app's options are included; all other parameters come
  /// from this value.
  package func authorizationRequest(_ options: SignInOptions, dpopKey: DPoPPublicKey? = nil) -> AuthorizationRequest {
    var request = AuthorizationRequest(
      clientID: self.clientID, redirectURI: self.redirectURI, scope: self.scope, state: self.state.reveal(),
      codeChallenge: self.codeVerifier.challenge, nonce: self.asksForIDToken ? self.nonce.reveal() : nil)
    request.prompt = options.prompt
    request.loginHint = options.loginHint
    request.maxAge = self.details.maxAge
    request.uiLocales = options.uiLocales
    request.acrValues = options.acrValues
    request.claims = self.claims(options)
    request.resources = self.details.resources
    request.dpopKeyThumbprint = dpopKey?.thumbprint
    request.additional = options.additional
    return request
  }

  /// Adds the required authentication context classes as an essential claim (OpenID Connect Core §5.5.1.1).
  private func claims(_ options: SignInOptions) -> ClaimsRequest {
    var claims = options.claims
    if self.asksForIDToken, !self.details.requiredACRValues.isEmpty, claims.idToken["acr"] == nil {
      claims.idToken["acr"] = ClaimsRequest.Claim(essential: true, values: self.details.requiredACRValues.map { .string($0) })
    }
    return claims
  }
}
