public import SallyportProtocol

/// Who an app is at authorization servers that it has not heard of before.
///
/// At each server the first of these is used: the identifier that the app has there already, the URL of its metadata document where the
/// server takes such (OAuth Client ID Metadata Document), and a registration of this installation (RFC 7591).
public struct AppIdentity: Sendable {
  /// What the app says of itself when it registers.
  public var metadata: ClientMetadata
  /// The identifier that the app was given at a server; nil where it has none.
  public var clientID: @Sendable (Issuer) -> String?
  /// The app's metadata document for a server; nil where it has none for it.
  ///
  /// Each server needs a document of its own, which names a redirect URI of its own: with one redirect URI for two servers one could pass
  /// its answer off as the other's (RFC 8252 §8.10), so the second one would be refused.
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
