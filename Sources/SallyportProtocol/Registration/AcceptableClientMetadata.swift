/// The part of a client's metadata that a server can register.
///
/// A server may replace or omit what it does not support, and its response contains what it registered (RFC 7591 §2,
/// §3.2.1). Some clients rely on this: one registration may contain the redirect URIs of several platforms, or a grant
/// type that only other servers support.
package struct AcceptableClientMetadata: Sendable {
  package let checked: CheckedClientMetadata

  /// - Parameters:
  ///   - metadata: The metadata that the client sent.
  ///   - grantTypes: The grant types that the server registers.
  ///   - schemes: The private-use schemes without a period that the server allows.
  /// - Throws: ``AcceptableClientMetadataError`` if the server supports none of the grant types or redirect URIs, or if
  ///   a member is invalid.
  package init(
    _ metadata: ClientMetadata, grantTypes: [String], schemes: UndottedSchemes
  ) throws(AcceptableClientMetadataError) {
    var metadata = metadata
    metadata.removeEmptyMembers()
    try Self.reduceGrantTypes(&metadata, to: grantTypes)
    do throws(ClientMetadataError) {
      try Self.reduceResponseTypes(&metadata)
    } catch { throw .metadata(error) }
    try Self.reduceRedirectURIs(&metadata, schemes)
    do throws(ClientMetadataError) {
      self.checked = try CheckedClientMetadata(metadata, schemes: schemes)
    } catch { throw .metadata(error) }
  }

  private static func reduceGrantTypes(
    _ metadata: inout ClientMetadata, to supportedGrantTypes: [String]
  ) throws(AcceptableClientMetadataError) {
    guard let requested = metadata.grantTypes else { return }
    let acceptedGrantTypes = supportedGrantTypes.filter(requested.contains)
    guard !acceptedGrantTypes.isEmpty else { throw .grantTypes(requested) }
    metadata.grantTypes = acceptedGrantTypes
  }

  private static func reduceResponseTypes(_ metadata: inout ClientMetadata) throws(ClientMetadataError) {
    guard let requested = metadata.responseTypes else { return }
    // Without `grant_types`, the grant type is `authorization_code` (RFC 7591 §2).
    guard metadata.grantTypes?.contains("authorization_code") ?? true else {
      metadata.responseTypes = []
      return
    }
    guard requested.contains("code") else { throw .member("response_types", .unsupported(["code"])) }
    metadata.responseTypes = ["code"]
  }

  /// Keeps the redirect URIs and post-logout redirect URIs that are allowed for the client, and determines the
  /// application type.
  private static func reduceRedirectURIs(
    _ metadata: inout ClientMetadata, _ schemes: UndottedSchemes
  ) throws(AcceptableClientMetadataError) {
    let (texts, method) = (metadata.redirectURIs ?? [], metadata.tokenEndpointAuthMethod ?? "client_secret_basic")
    guard texts.count <= ClientMetadataRules.maximumRedirectURIs else { throw .metadata(.tooManyRedirectURIs) }
    var (validURIs, problems): ([(index: Int, uri: RedirectURI)], [ClientMetadataError]) = ([], [])
    for (index, text) in texts.enumerated() {
      do throws(ClientMetadataError) {
        validURIs.append((index, try ClientMetadataRules.redirectURI(text, at: index, schemes)))
      } catch { problems.append(error) }
    }
    let type: CheckedClientMetadata.ApplicationType
    do throws(ClientMetadataError) {
      type = try .init(metadata.applicationType, redirectURIs: validURIs.map(\.uri), method: method)
    } catch { throw .metadata(error) }
    for (index, uri) in validURIs where !type.allows(uri, method: method) {
      problems.append(.redirectURINotForWeb(index: index))
    }
    let acceptedURIs = validURIs.map(\.uri).filter { type.allows($0, method: method) }
    // A client that sends no redirect URIs has neither accepted URIs nor problems, and is not rejected here.
    guard !acceptedURIs.isEmpty || problems.isEmpty else { throw .redirectURIs(problems) }
    if metadata.redirectURIs != nil { metadata.redirectURIs = acceptedURIs.map(\.value) }
    metadata.applicationType = type.rawValue
    metadata.postLogoutRedirectURIs = metadata.postLogoutRedirectURIs?.filter {
      ClientMetadataRules.isPostLogoutRedirectURI($0, type, method: method)
    }
  }
}

/// Why a client's metadata cannot be registered.
package enum AcceptableClientMetadataError: Error, Equatable, Sendable {
  /// The server supports none of the requested grant types.
  case grantTypes([String])
  /// None of the redirect URIs is acceptable, for these reasons.
  case redirectURIs([ClientMetadataError])
  /// A member is invalid.
  case metadata(ClientMetadataError)
}
