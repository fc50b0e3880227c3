/// The `resource` parameter, which names the API that a token is for (RFC 8707 §2): an absolute URI without a fragment
/// or user information.
public struct ResourceIndicator: Hashable, Sendable, CustomStringConvertible {
  /// The URI as written. URIs are compared as text.
  public let value: String

  /// Parses a resource indicator.
  /// - Throws: `ResourceIndicatorError`
  public init(_ text: String) throws(ResourceIndicatorError) {
    guard text.utf8.count <= 2048, let components = URIComponents(text) else { throw .malformed }
    guard components.fragment == nil else { throw .fragment }
    guard components.userInfo == nil else { throw .userInfo }
    // A URI with an authority needs a host (`https://api.example`), and any other URI a path (`urn:example:api`).
    let isComplete = components.authority != nil ? components.host?.isEmpty == false : !components.path.isEmpty
    guard isComplete else { throw .malformed }
    self.value = text
  }

  public var description: String { self.value }

  /// Whether two URLs are equal, or differ only because one has no path and the other has the path `/`. RFC 3986 §6.2.3
  /// defines such `http` and `https` URLs as equivalent.
  package static func areEquivalent(_ a: String, _ b: String) -> Bool {
    if a.utf8.elementsEqual(b.utf8) { return true }
    let (shorter, longer) = a.utf8.count < b.utf8.count ? (a, b) : (b, a)
    guard longer.utf8.elementsEqual("\(shorter)/".utf8), let url = URIComponents(shorter) else { return false }
    return ["http", "https"].contains(url.scheme) && url.authority != nil && url.path.isEmpty && url.query == nil
  }
}

/// Why a text is not a valid resource indicator.
public enum ResourceIndicatorError: Error, Equatable, Sendable {
  /// The text is not an absolute URI, or is longer than 2,048 bytes.
  case malformed
  case fragment
  case userInfo
}

extension ResourceIndicator: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self.value)
  }
}
