public import SallyportProtocol

/// A protected resource whose metadata were checked: a value exists only for a document that speaks of the resource that was asked for.
public struct ProtectedResource: Sendable {
  /// The resource's identifier: what the `resource` parameter names (RFC 8707).
  public let resource: EndpointURL
  /// The servers that may issue tokens for it, in its order; those that no token request may go to are left out.
  public let authorizationServers: [Issuer]
  /// What the API's challenge said that a request needs, or else what its metadata list; nil where neither says anything.
  public let scope: Scope?
  /// The document as it was read.
  public let document: ProtectedResourceMetadata

  /// Checks a document.
  /// - Parameters:
  ///   - resource: the URL whose metadata this should be.
  ///   - challengedScope: `scope` of the challenge that led here.
  /// - Throws: ``ResourceDiscoveryError``, which names the rule that the document breaks.
  public init(
    _ document: ProtectedResourceMetadata, expecting resource: EndpointURL, challengedScope: Scope? = nil
  ) throws(ResourceDiscoveryError) {
    try Self.checkResource(document.resource, expected: resource)
    try Self.checkBearerMethods(document.bearerMethodsSupported)
    self.resource = resource
    self.authorizationServers = try Self.servers(document.authorizationServers ?? [], of: resource)
    self.scope = challengedScope ?? Self.scope(document.scopesSupported)
    self.document = document
  }

  /// RFC 9728 §3.3: identical, by its text; otherwise an API could have tokens for another one sent to itself.
  private static func checkResource(_ found: String, expected: EndpointURL) throws(ResourceDiscoveryError) {
    guard found.utf8.elementsEqual(expected.value.utf8) else {
      throw .resourceMismatch(found: VisibleText.bounded(found))
    }
  }

  /// RFC 9728 §2: an API that lists no way that is used here (the header) takes no token of ours; an absent list says nothing.
  private static func checkBearerMethods(_ methods: [String]?) throws(ResourceDiscoveryError) {
    guard methods?.contains("header") ?? true else { throw .headerNotSupported }
  }

  private static func servers(_ texts: [String], of resource: EndpointURL) throws(ResourceDiscoveryError) -> [Issuer] {
    guard !texts.isEmpty else { throw .noAuthorizationServer }
    let servers = texts.prefix(16).compactMap { text in
      text.utf8.count <= 2048 ? try? Issuer(text) : nil
    }
    let allowed = servers.filter { AddressPolicy.mayLead(from: resource, to: $0.url) }
    guard !allowed.isEmpty else { throw .authorizationServersNotAllowed }
    return allowed
  }

  private static func scope(_ texts: [String]?) -> Scope? {
    guard let texts, texts.count <= 64, let scope = Scope(texts.joined(separator: " ")), !scope.isEmpty else { return nil }
    return scope
  }
}

/// Which rule a resource's metadata break, or why they could not be read. No case carries text of unbounded length.
public enum ResourceDiscoveryError: Error, Equatable, Sendable {
  /// The API itself did not answer.
  case network(TransportError)
  /// The metadata could not be fetched or are not JSON.
  case document(JSONDocumentError)
  /// The API named an address for its metadata that it may not lead to: a plain one, or one of this machine or network.
  case metadataURLNotAllowed
  /// The metadata speak of another resource (RFC 9728 §3.3); `found` is cut and holds visible ASCII only.
  case resourceMismatch(found: String)
  /// The metadata name no authorization server.
  case noAuthorizationServer
  /// The metadata name only servers that they may not lead to.
  case authorizationServersNotAllowed
  /// The API takes no token in a header.
  case headerNotSupported
  case malformed
}
