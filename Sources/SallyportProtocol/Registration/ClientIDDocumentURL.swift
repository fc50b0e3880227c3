/// A client identifier that is the URL of the client's metadata document (OAuth Client ID Metadata Document §3).
///
/// The URL uses `https`, has a path other than `/`, is at most 2,048 bytes long, and has no fragment, user information,
/// or dot segments. `http` is not allowed even on loopback, because the identifier is only meaningful if no other party
/// can publish a document at the URL.
public struct ClientIDDocumentURL: Hashable, Sendable, CustomStringConvertible {
  /// The URL of the document.
  public let url: EndpointURL
  public var description: String { self.url.value }

  /// Parses a client identifier.
  /// - Returns: `nil` for any other identifier.
  public init?(_ clientID: String) {
    // `EndpointURL` rejects fragments and user information.
    guard clientID.hasPrefix("https://"), clientID.utf8.count <= 2048, let url = try? EndpointURL(clientID),
      url.components.path.utf8.count > 1,
      !url.components.path.split(separator: "/").contains(where: RedirectURI.isDotSegment)
    else { return nil }
    self.url = url
  }
}
