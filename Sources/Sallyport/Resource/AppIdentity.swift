public import SallyportProtocol

/// How an app identifies itself to authorization servers that it doesn't know in advance.
///
/// At each server, the first available identity is used: an existing client identifier, the URL of the app's metadata
/// document if the server supports it (OAuth Client ID Metadata Document), or a registration of this installation (RFC
/// 7591).
public struct AppIdentity: Sendable {
  /// The client metadata that the app registers.
  public var metadata: ClientMetadata
  /// Returns the app's client identifier at a server, or `nil` if it has none.
  public var clientID: @Sendable (Issuer) -> String?
  /// Returns the URL of the app's metadata document for a server, or `nil` if it has none.
  ///
  /// Each server needs its own document with its own redirect URI. With a shared redirect URI, one server could pass
  /// off its response as another server's (RFC 8252 §8.10), so the second server would be rejected.
  public var document: @Sendable (Issuer) -> ClientIDDocumentURL?

  public init(
    metadata: ClientMetadata, clientID: @escaping @Sendable (Issuer) -> String? = { _ in nil },
    document: @escaping @Sendable (Issuer) -> ClientIDDocumentURL? = { _ in nil }
  ) {
    self.metadata = metadata
    self.clientID = clientID
    self.document = document
  }
}
