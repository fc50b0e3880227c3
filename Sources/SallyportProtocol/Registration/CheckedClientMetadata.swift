/// A client's metadata that keep every rule both ends share; which of them a server grants is the server's own matter.
package struct CheckedClientMetadata: Sendable {
  /// `application_type`, OpenID Connect Registration §2.
  package enum ApplicationType: String, Sendable, CaseIterable { case native, web }

  /// As they were given, with repeated redirect URIs left out.
  package let metadata: ClientMetadata
  package let redirectURIs: [RedirectURI]
  package let applicationType: ApplicationType
  /// What was asked for, or the default of RFC 7591 §2.
  package let tokenEndpointAuthMethod: String
  package let grantTypes: [String]
  /// Nil where none was named.
  package let scope: Scope?

  /// - Parameters:
  ///   - metadata: What the client says of itself.
  ///   - schemes: The private-use schemes without a period that its redirect URIs may have.
  /// - Throws: ``ClientMetadataError``, which names the member and the rule.
  package init(_ metadata: ClientMetadata, schemes: UndottedSchemes = .none) throws(ClientMetadataError) {
    self.tokenEndpointAuthMethod = metadata.tokenEndpointAuthMethod ?? "client_secret_basic"
    self.grantTypes = metadata.grantTypes ?? ["authorization_code"]
    try ClientMetadataRules.checkTexts(metadata)
    try ClientMetadataRules.checkWebPages(metadata)
    try ClientMetadataRules.checkRequestURIs(metadata)
    try ClientMetadataRules.checkGrantTypes(metadata, self.grantTypes)
    try ClientMetadataRules.checkKeys(metadata, method: self.tokenEndpointAuthMethod)
    try ClientMetadataRules.checkAuthentication(self.tokenEndpointAuthMethod, grantTypes: self.grantTypes)
    self.scope = try ClientMetadataRules.scope(metadata.scope)
    self.redirectURIs = try ClientMetadataRules.redirectURIs(
      metadata.redirectURIs ?? [], grantTypes: self.grantTypes, schemes)
    self.applicationType = try ApplicationType(
      metadata.applicationType, redirectURIs: self.redirectURIs, method: self.tokenEndpointAuthMethod)
    try ClientMetadataRules.checkApplicationType(
      self.applicationType, self.redirectURIs, method: self.tokenEndpointAuthMethod)
    try ClientMetadataRules.checkSignOut(metadata, self.applicationType, method: self.tokenEndpointAuthMethod)
    var metadata = metadata
    if metadata.redirectURIs != nil { metadata.redirectURIs = self.redirectURIs.map(\.value) }
    self.metadata = metadata
  }

  /// The rules for what an operator writes too: all but those on redirect URIs, grants and authentication, which an operator's
  /// registration has in a form of its own.
  package static func checkOperators(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    try ClientMetadataRules.checkTexts(metadata)
    try ClientMetadataRules.checkWebPages(metadata)
    try ClientMetadataRules.checkRequestURIs(metadata)
    try ClientMetadataRules.checkKeys(metadata, method: metadata.tokenEndpointAuthMethod ?? "none")
    guard metadata.responseTypes?.allSatisfy({ $0 == "code" }) ?? true else {
      throw .member("response_types", .unsupported(["code"]))
    }
  }

  /// The application type of a client that an operator describes: `application_type`, or what the redirect URIs and the authentication
  /// method imply. An operator's word counts, so `web` stays `web`.
  /// - Throws: ``ClientMetadataError/mixedRedirectURIs`` if nothing says what a client with both kinds of redirect URIs is.
  package static func operatorsType(
    of metadata: ClientMetadata, schemes: UndottedSchemes = .none
  ) throws(ClientMetadataError) -> ApplicationType {
    if let type = metadata.applicationType { return try ApplicationType(type, redirectURIs: [], method: "") }
    let uris = try ClientMetadataRules.redirectURIs(metadata.redirectURIs ?? [], grantTypes: [], schemes)
    let web = uris.count { $0.kind == .https }
    guard metadata.tokenEndpointAuthMethod != nil || web == 0 || web == uris.count else { throw .mixedRedirectURIs }
    return try ApplicationType(nil, redirectURIs: uris, method: metadata.tokenEndpointAuthMethod ?? "none")
  }
}

/// Which rule a client's metadata break.
public enum ClientMetadataError: Error, Equatable, Sendable {
  /// The redirect URI at that place breaks a rule, RFC 8252 §7 and §8.4.
  case redirectURI(index: Int, RedirectURIError)
  case redirectURITooLong(index: Int)
  case tooManyRedirectURIs
  /// The code flow without a place to send the code to.
  case noRedirectURI
  /// A loopback or private-use redirect for a web client, OpenID Connect Registration §2.
  case redirectURINotForWeb(index: Int)
  /// No `application_type`, no `token_endpoint_auth_method`, and redirect URIs of both application types.
  case mixedRedirectURIs
  /// The member of this name breaks a rule.
  case member(String, ClientMetadataProblem)
  /// A grant type that no client should use (RFC 9700 §2.1.2 and §2.4), or one that does not go with `response_types`.
  case grantTypes
  /// A client that proves nothing asks for tokens of its own.
  case authenticationMissing

  /// `error` of the answer, RFC 7591 §3.2.2.
  package var code: OAuthErrorCode {
    switch self {
    case .redirectURI, .redirectURITooLong, .tooManyRedirectURIs, .noRedirectURI, .redirectURINotForWeb, .mixedRedirectURIs:
      .invalidRedirectURI
    case .member, .grantTypes, .authenticationMissing: .invalidClientMetadata
    }
  }
}
