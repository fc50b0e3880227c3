/// A client's metadata that keep every rule both ends share; which of them a server grants is the server's own matter.
package struct CheckedClientMetadata: Sendable {
  /// `application_type`, OpenID Connect Registration §2.
  package enum ApplicationType: String, Sendable { case native, web }

  /// As they were given, with repeated redirect URIs left out.
  package let metadata: ClientMetadata
  package let redirectURIs: [RedirectURI]
  package let applicationType: ApplicationType
  /// What was asked for, or the default of RFC 7591 §2.
  package let tokenEndpointAuthMethod: String
  package let grantTypes: [String]
  /// Nil where none was named.
  package let scope: Scope?

  /// - Throws: ``ClientMetadataError``, which names the member and the rule.
  package init(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    self.tokenEndpointAuthMethod = metadata.tokenEndpointAuthMethod ?? "client_secret_basic"
    self.grantTypes = metadata.grantTypes ?? ["authorization_code"]
    try ClientMetadataRules.checkTexts(metadata)
    try ClientMetadataRules.checkWebPages(metadata)
    try ClientMetadataRules.checkRequestURIs(metadata)
    try ClientMetadataRules.checkGrantTypes(metadata, self.grantTypes)
    try ClientMetadataRules.checkKeys(metadata, method: self.tokenEndpointAuthMethod)
    try ClientMetadataRules.checkAuthentication(self.tokenEndpointAuthMethod, grantTypes: self.grantTypes)
    self.scope = try ClientMetadataRules.scope(metadata.scope)
    self.redirectURIs = try ClientMetadataRules.redirectURIs(metadata.redirectURIs ?? [], grantTypes: self.grantTypes)
    self.applicationType = try ClientMetadataRules.applicationType(metadata.applicationType, self.redirectURIs)
    try ClientMetadataRules.checkSignOut(metadata, self.applicationType)
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
    guard metadata.responseTypes?.allSatisfy({ $0 == "code" }) ?? true else { throw .member("response_types") }
  }

  /// `application_type`, or what the redirect URIs say where it is absent.
  package static func applicationType(of metadata: ClientMetadata) throws(ClientMetadataError) -> ApplicationType {
    let isSaid = metadata.applicationType != nil
    let uris = isSaid ? [] : try ClientMetadataRules.redirectURIs(metadata.redirectURIs ?? [], grantTypes: [])
    return try ClientMetadataRules.applicationType(metadata.applicationType, uris)
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
  /// No `application_type`, and redirect URIs of both types of it.
  case mixedRedirectURIs
  /// The member of this name is too long, holds what no person can read, or is not of the values that it may have.
  case member(String)
  /// A grant type that no client should use (RFC 9700 §2.1.2 and §2.4), or one that does not go with `response_types`.
  case grantTypes
  /// Both `jwks` and `jwks_uri`, none where one is due, or a key that none can be.
  case keys
  /// A client that proves nothing asks for tokens of its own.
  case authenticationMissing

  /// `error` of the answer, RFC 7591 §3.2.2.
  package var code: OAuthErrorCode {
    switch self {
    case .redirectURI, .redirectURITooLong, .tooManyRedirectURIs, .noRedirectURI, .redirectURINotForWeb, .mixedRedirectURIs:
      .invalidRedirectURI
    case .member, .grantTypes, .keys, .authenticationMissing: .invalidClientMetadata
    }
  }
}
