package import SallyportProtocol

/// Validated metadata of a protected resource.
package struct ProtectedResource: Sendable {
  /// The resource identifier, for use as the `resource` parameter (RFC 8707).
  package let resource: EndpointURL
  /// The servers that may issue tokens for the resource, in the metadata's order. Only the first 16 are considered.
  /// Servers that are invalid, or that ``AddressPolicy`` does not allow, are omitted.
  package let authorizationServers: [Issuer]
  /// The scope that the API's challenge requires. If the challenge requires no scope, the scope that the metadata
  /// lists, or `nil` if the metadata lists no scope, an invalid scope, or more than 64 scope values.
  package let scope: Scope?
  /// The document that was validated.
  package let document: ProtectedResourceMetadata

  /// Validates a document.
  /// - Parameters:
  ///   - resource: The URL that the document must belong to.
  ///   - challengedScope: The `scope` of the API's challenge.
  /// - Throws: ``ResourceDiscoveryError``, which names the violated rule.
  package init(
    _ document: ProtectedResourceMetadata, expecting resource: EndpointURL, challengedScope: Scope? = nil
  ) throws(ResourceDiscoveryError) {
    try Self.checkResource(document.resource, expected: resource)
    try Self.checkBearerMethods(document.bearerMethodsSupported)
    self.resource = resource
    self.authorizationServers = try Self.servers(document.authorizationServers ?? [], of: resource)
    self.scope = challengedScope ?? Self.scope(document.scopesSupported)
    self.document = document
  }

  /// The resource must be identical to the expected resource (RFC 9728 §3.3). Otherwise an API could obtain tokens for
  /// another API.
  private static func checkResource(_ found: String, expected: EndpointURL) throws(ResourceDiscoveryError) {
    guard found.utf8.elementsEqual(expected.value.utf8) else {
      throw .resourceMismatch(found: VisibleText.bounded(found))
    }
  }

  /// If the API lists the methods of sending a token, `header` must be among them (RFC 9728 §2), because this client
  /// uses no other method.
  private static func checkBearerMethods(_ methods: [String]?) throws(ResourceDiscoveryError) {
    guard methods?.contains("header") ?? true else { throw .headerNotSupported }
  }

  /// Only the first 16 servers are considered, because the document is untrusted.
  private static func servers(_ texts: [String], of resource: EndpointURL) throws(ResourceDiscoveryError) -> [Issuer] {
    guard !texts.isEmpty else { throw .noAuthorizationServer }
    let servers = texts.prefix(16).compactMap { text in
      text.utf8.count <= 2048 ? try? Issuer(text) : nil
    }
    let allowedServers = servers.filter { AddressPolicy.allowsReference(from: resource, to: $0.url) }
    guard !allowedServers.isEmpty else { throw .authorizationServersNotAllowed }
    return allowedServers
  }

  /// Lists of more than 64 values are ignored, because the document is untrusted.
  private static func scope(_ texts: [String]?) -> Scope? {
    guard let texts, texts.count <= 64, let scope = Scope(texts.joined(separator: " ")), !scope.isEmpty else { return nil }
    return scope
  }
}

/// Why a resource's metadata is invalid or could not be read. No case contains unlimited text from the server.
public enum ResourceDiscoveryError: Error, Equatable, Sendable {
  /// The API itself could not be reached.
  case network(TransportError)
  /// The metadata could not be fetched or is malformed.
  case document(JSONDocumentError)
  /// The API named a metadata URL that is invalid or not allowed for this API, such as an `http` URL, or an address on
  /// this machine or network.
  case metadataURLNotAllowed
  /// The metadata is for another resource (RFC 9728 §3.3). `found` is limited in length and contains only visible ASCII
  /// characters.
  case resourceMismatch(found: String)
  /// The metadata names no authorization server.
  case noAuthorizationServer
  /// The metadata names only authorization servers that are invalid or not allowed.
  case authorizationServersNotAllowed
  /// The API doesn't accept tokens in the Authorization header.
  case headerNotSupported
  /// The API's origin is not a valid URL.
  case malformed
}
