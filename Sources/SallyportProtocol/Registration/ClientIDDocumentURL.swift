/// A client identifier that is the URL of the client's metadata document (OAuth Client ID Metadata Document §3).
///
/// `https` with a path that names something, without fragment, user information and dot segments. There is no `http` here, not even on
/// loopback: the identifier's worth is that only one party can publish there.
public struct ClientIDDocumentURL: Hashable, Sendable, CustomStringConvertible {
  public let url: EndpointURL
  public var description: String { self.url.value }

  /// - Returns: nil for any other identifier.
  public init?(_ clientID: String) {
    guard clientID.hasPrefix("https://"), clientID.utf8.count <= 2048, let url = try? EndpointURL(clientID),
      url.components.path.utf8.count > 1,
      !url.components.path.split(separator: "/").contains(where: RedirectURI.isDotSegment)
    else { return nil }
    self.url = url
  }
}
