public import SallyportProtocol
public import SallyportRemote

/// How an app identifies itself to authorization servers that it doesn't know in advance.
///
/// At each server, the first available identity is used: an existing client identifier, the URL of the app's metadata
/// document if the server supports it (OAuth Client ID Metadata Document), or a registration of this installation (RFC
/// 7591).
public struct AppIdentity: Sendable {
  /// The client metadata that the app registers.
  public var metadata: ClientMetadata
  private let findClientID: @Sendable (Issuer) -> String?
  private let findDocument: @Sendable (Issuer) -> ClientIDDocumentURL?
  private let findConfiguration: @Sendable (Issuer) -> ServerConfiguration

  /// Creates an identity.
  ///
  /// Each server needs its own metadata document with its own redirect URI. If two servers shared a redirect URI, one
  /// server could pass off its response as the other's (RFC 8252 §8.10). The client therefore rejects a sign-in with a
  /// redirect URI that is in use with another server.
  /// - Parameters:
  ///   - metadata: The client metadata that the app registers.
  ///   - clientID: Returns the app's client identifier at a server, or `nil` if it has none.
  ///   - document: Returns the URL of the app's metadata document for a server, or `nil` if it has none.
  ///   - server: Returns what the app knows about a server in addition to its issuer identifier. A configuration with
  ///     another issuer is an error.
  public init(
    metadata: ClientMetadata, clientID: @escaping @Sendable (Issuer) -> String? = { _ in nil },
    document: @escaping @Sendable (Issuer) -> ClientIDDocumentURL? = { _ in nil },
    server: @escaping @Sendable (Issuer) -> ServerConfiguration = { ServerConfiguration(issuer: $0) }
  ) {
    self.metadata = metadata
    self.findClientID = clientID
    self.findDocument = document
    self.findConfiguration = server
  }

  /// Returns the app's client identifier at a server, or `nil` if it has none.
  public func clientID(at issuer: Issuer) -> String? {
    self.findClientID(issuer)
  }

  /// Returns the URL of the app's metadata document for a server, or `nil` if it has none.
  public func document(for issuer: Issuer) -> ClientIDDocumentURL? {
    self.findDocument(issuer)
  }

  /// Returns what the app knows about a server.
  /// - Throws: `DiscoveryError` if the configuration that the app returns for this issuer names another one.
  func server(at issuer: Issuer) throws(DiscoveryError) -> ServerConfiguration {
    let server = self.findConfiguration(issuer)
    guard server.issuer == issuer else { throw .issuerMismatch(found: server.issuer.value) }
    return server
  }
}
