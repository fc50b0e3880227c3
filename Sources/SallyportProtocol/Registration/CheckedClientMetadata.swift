/// Client metadata that satisfies the rules shared by clients and servers. A server can apply further rules.
package struct CheckedClientMetadata: Sendable {
  /// The `application_type` (OpenID Connect Registration §2).
  package enum ApplicationType: String, Sendable, CaseIterable { case native, web }

  /// The original metadata without repeated redirect URIs.
  package let metadata: ClientMetadata
  package let redirectURIs: [RedirectURI]
  package let applicationType: ApplicationType
  /// The requested method, or the default of RFC 7591 §2.
  package let tokenEndpointAuthMethod: String
  package let grantTypes: [String]
  /// `nil` if no scope was requested.
  package let scope: Scope?

  /// - Parameters:
  ///   - metadata: The metadata that the client sent.
  ///   - schemes: The private-use schemes without a period that the redirect URIs may use.
  /// - Throws: ``ClientMetadataError``
  package init(_ metadata: ClientMetadata, schemes: UndottedSchemes = .none) throws(ClientMetadataError) {
    self.tokenEndpointAuthMethod = metadata.tokenEndpointAuthMethod ?? "client_secret_basic"
    self.grantTypes = metadata.grantTypes ?? ["authorization_code"]
    try ClientMetadataRules.checkTexts(metadata)
    try ClientMetadataRules.checkURLs(metadata)
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
    try ClientMetadataRules.checkPostLogoutRedirectURIs(
      metadata, self.applicationType, method: self.tokenEndpointAuthMethod)
    var metadata = metadata
    if metadata.redirectURIs != nil { metadata.redirectURIs = self.redirectURIs.map(\.value) }
    self.metadata = metadata
  }

  /// Checks metadata that an operator wrote. Redirect URIs, grant types, and authentication are not checked, because an
  /// operator's registration has separate rules for them.
  package static func checkOperatorMetadata(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    try ClientMetadataRules.checkTexts(metadata)
    try ClientMetadataRules.checkURLs(metadata)
    try ClientMetadataRules.checkRequestURIs(metadata)
    try ClientMetadataRules.checkKeys(metadata, method: metadata.tokenEndpointAuthMethod ?? "none")
    guard metadata.responseTypes?.allSatisfy({ $0 == "code" }) ?? true else {
      throw .member("response_types", .unsupported(["code"]))
    }
  }

  /// Determines the application type of a client that an operator describes: the value of `application_type`, or what
  /// the redirect URIs and the authentication method imply. An explicit `web` always stays `web`.
  /// - Throws: ``ClientMetadataError``; in particular ``ClientMetadataError/mixedRedirectURIs`` if a client has both
  ///   `https` and other redirect URIs, but neither `application_type` nor `token_endpoint_auth_method`.
  package static func operatorApplicationType(
    of metadata: ClientMetadata, schemes: UndottedSchemes = .none
  ) throws(ClientMetadataError) -> ApplicationType {
    // Without the redirect URIs, the initializer does not turn `web` into `native`.
    if let type = metadata.applicationType { return try ApplicationType(type, redirectURIs: [], method: "") }
    // Without a grant type, no redirect URI is required.
    let uris = try ClientMetadataRules.redirectURIs(metadata.redirectURIs ?? [], grantTypes: [], schemes)
    let httpsURIs = uris.count { $0.kind == .https }
    guard metadata.tokenEndpointAuthMethod != nil || httpsURIs == 0 || httpsURIs == uris.count else {
      throw .mixedRedirectURIs
    }
    return try ApplicationType(nil, redirectURIs: uris, method: metadata.tokenEndpointAuthMethod ?? "none")
  }
}

/// Why a client's metadata is invalid.
public enum ClientMetadataError: Error, Equatable, Sendable {
  /// The redirect URI at this index is invalid (RFC 8252 §7 and §8.4).
  case redirectURI(index: Int, RedirectURIError)
  case redirectURITooLong(index: Int)
  case tooManyRedirectURIs
  /// The client uses the code flow, but has no redirect URI.
  case noRedirectURI
  /// A web client has a redirect URI that only native clients can have (OpenID Connect Registration §2).
  case redirectURINotForWeb(index: Int)
  /// The client has redirect URIs of both application types, but no `application_type` or `token_endpoint_auth_method`.
  case mixedRedirectURIs
  /// The named member is invalid.
  case member(String, ClientMetadataProblem)
  /// The list of grant types is empty, has more than eight entries, includes the implicit or password grant (RFC 9700
  /// §2.1.2 and §2.4), or is inconsistent with `response_types`.
  case grantTypes
  /// A client that does not authenticate requests the client credentials grant.
  case authenticationMissing

  /// The error code of the response (RFC 7591 §3.2.2).
  package var code: OAuthErrorCode {
    switch self {
    case .redirectURI, .redirectURITooLong, .tooManyRedirectURIs, .noRedirectURI, .redirectURINotForWeb, .mixedRedirectURIs:
      .invalidRedirectURI
    case .member, .grantTypes, .authenticationMissing: .invalidClientMetadata
    }
  }
}
