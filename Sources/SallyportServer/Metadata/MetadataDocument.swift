package import SallyportProtocol

/// Where the endpoints are, below the issuer.
package enum EndpointPath {
  package static let authorization = "/authorize"
  package static let token = "/token"
  package static let revocation = "/revoke"
  package static let userinfo = "/userinfo"
  package static let jwks = "/jwks.json"
  /// Each registration is below, by the client's identifier.
  package static let registration = "/register"
}

extension ServerConfiguration {
  /// The metadata that the server publishes, RFC 8414 §2 and OpenID Connect Discovery §3. It names what is there and nothing else.
  package var metadata: ServerMetadata {
    var metadata = ServerMetadata(issuer: self.issuer.value)
    metadata.authorizationEndpoint = self.issuer.url(appending: EndpointPath.authorization)
    metadata.tokenEndpoint = self.issuer.url(appending: EndpointPath.token)
    metadata.revocationEndpoint = self.issuer.url(appending: EndpointPath.revocation)
    metadata.userinfoEndpoint = self.issuer.url(appending: EndpointPath.userinfo)
    metadata.jwksURI = self.issuer.url(appending: EndpointPath.jwks)
    metadata.scopesSupported = [Scope.openID, .profile, .email, .offlineAccess].map(\.description)
    metadata.responseTypesSupported = ["code"]
    metadata.responseModesSupported = ["query"]
    metadata.grantTypesSupported = [GrantType.authorizationCode, .refreshToken].map(\.rawValue)
    metadata.subjectTypesSupported = ["public"]
    metadata.idTokenSigningAlgValuesSupported = SigningKey.Algorithm.allCases.map(\.rawValue)
    metadata.tokenEndpointAuthMethodsSupported = ["none", "client_secret_basic", "client_secret_post"]
    metadata.revocationEndpointAuthMethodsSupported = metadata.tokenEndpointAuthMethodsSupported
    metadata.codeChallengeMethodsSupported = [CodeChallenge.method]
    metadata.promptValuesSupported = ["none", "login", "consent", "select_account"]
    metadata.claimsSupported = [
      "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "name", "preferred_username", "email", "email_verified",
    ]
    metadata.authorizationResponseIssParameterSupported = true
    if self.registration.mode != .off {
      metadata.registrationEndpoint = self.issuer.url(appending: EndpointPath.registration)
    }
    metadata.claimsParameterSupported = false
    metadata.requestParameterSupported = false
    metadata.requestURIParameterSupported = false
    return metadata
  }
}
