import SallyportLanguages
package import SallyportProtocol

extension ServerConfiguration {
  /// Returns the metadata that the server publishes (RFC 8414 §2, OpenID Connect Discovery §3).
  package func metadata(with capabilities: ServerCapabilities = ServerCapabilities()) -> ServerMetadata {
    var metadata = ServerMetadata(issuer: self.issuer.value)
    metadata.authorizationEndpoint = self.issuer.url(appending: EndpointPath.authorization)
    metadata.tokenEndpoint = self.issuer.url(appending: EndpointPath.token)
    metadata.revocationEndpoint = self.issuer.url(appending: EndpointPath.revocation)
    metadata.userinfoEndpoint = self.issuer.url(appending: EndpointPath.userinfo)
    metadata.jwksURI = self.issuer.url(appending: EndpointPath.jwks)
    metadata.scopesSupported = [Scope.openID, .profile, .email, .offlineAccess].map(\.description)
    metadata.responseTypesSupported = ["code"]
    metadata.responseModesSupported = ResponseMode.allCases.map(\.rawValue)
    metadata.grantTypesSupported = GrantType.allCases.map(\.rawValue)
    metadata.subjectTypesSupported = ["public"]
    metadata.idTokenSigningAlgValuesSupported = SigningKey.Algorithm.allCases.map(\.rawValue)
    metadata.userinfoSigningAlgValuesSupported = SigningKey.Algorithm.allCases.map(\.rawValue)
    self.describeClientEndpoints(in: &metadata)
    metadata.codeChallengeMethodsSupported = [CodeChallenge.method]
    metadata.promptValuesSupported = ["none", "login", "consent", "select_account"] + (self.offersSignUp ? ["create"] : [])
    metadata.claimsSupported = [
      "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "acr", "amr", "sid", "name", "preferred_username",
      "email", "email_verified", "locale",
    ]
    metadata.acrValuesSupported = self.authenticationContexts
    metadata.authorizationResponseIssParameterSupported = true
    metadata.claimsParameterSupported = true
    // The pages have the same languages as the mail: tests check that both have all of them.
    metadata.uiLocalesSupported = MailCatalogs.languages.map(\.tag)
    metadata.requestParameterSupported = true
    if self.registration.mode != .off {
      metadata.registrationEndpoint = self.issuer.url(appending: EndpointPath.registration)
    }
    metadata.requirePushedAuthorizationRequests = false
    metadata.requestObjectSigningAlgValuesSupported = RequestObject.algorithms
    Self.describe(capabilities, in: &metadata)
    return metadata
  }

  private static func describe(_ capabilities: ServerCapabilities, in metadata: inout ServerMetadata) {
    // Written even if false, because the default of this member is true (OpenID Connect Discovery §3).
    metadata.requestURIParameterSupported = capabilities.fetchesRequestObjects
    if capabilities.fetchesRequestObjects { metadata.requireRequestURIRegistration = true }
    if capabilities.acceptsClientIDDocuments { metadata.clientIDMetadataDocumentSupported = true }
    if capabilities.deliversLogout {
      metadata.backchannelLogoutSupported = true
      metadata.backchannelLogoutSessionSupported = true
    }
  }

  /// Adds the endpoints for introspection, pushed requests, device authorization, and logout, the client authentication
  /// methods, and the algorithms of DPoP proofs.
  private func describeClientEndpoints(in metadata: inout ServerMetadata) {
    let methods = ClientAuthenticationMethod.allCases.map(\.rawValue)
    metadata.tokenEndpointAuthMethodsSupported = methods
    metadata.tokenEndpointAuthSigningAlgValuesSupported = ClientAssertion.algorithms
    metadata.revocationEndpointAuthMethodsSupported = methods
    // RFC 8414 §2 requires this member, because a supported method uses signatures.
    metadata.revocationEndpointAuthSigningAlgValuesSupported = ClientAssertion.algorithms
    metadata.introspectionEndpoint = self.issuer.url(appending: EndpointPath.introspection)
    metadata.introspectionEndpointAuthMethodsSupported = methods.filter { $0 != ClientAuthenticationMethod.none.rawValue }
    metadata.introspectionEndpointAuthSigningAlgValuesSupported = ClientAssertion.algorithms
    metadata.pushedAuthorizationRequestEndpoint = self.issuer.url(appending: EndpointPath.pushedRequest)
    metadata.deviceAuthorizationEndpoint = self.issuer.url(appending: EndpointPath.deviceAuthorization)
    metadata.endSessionEndpoint = self.issuer.url(appending: EndpointPath.endSession)
    metadata.dpopSigningAlgValuesSupported = DPoPAlgorithm.allCases.map(\.rawValue)
  }
}
