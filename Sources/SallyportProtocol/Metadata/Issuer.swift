/// The issuer identifier of an authorization server (RFC 8414 §2): an `https` URL, or an `http` URL on the loopback
/// interface, without a query or a fragment.
///
/// Two issuers are equal only if their text is identical (RFC 8414 §3.3).
public struct Issuer: Hashable, Sendable, CustomStringConvertible {
  /// The identifier as written.
  public let value: String
  package let url: EndpointURL

  /// Parses an issuer identifier.
  /// - Throws: ``EndpointURLError``
  public init(_ text: String) throws(EndpointURLError) {
    let url = try EndpointURL(text)
    guard url.components.query == nil else { throw .malformed }
    self.value = text
    self.url = url
  }

  public var description: String { self.value }
  /// The host as written in the identifier.
  package var host: String { self.url.components.host ?? "" }
  package var isHTTPS: Bool { self.url.components.scheme == "https" }
  /// The path without a trailing slash. Empty if the issuer is the root of its host.
  package var path: String {
    let path = self.url.components.path
    return path.hasSuffix("/") ? String(path.dropLast()) : path
  }
  /// The scheme, host, and port as written in the identifier.
  package var origin: String { "\(self.url.components.scheme)://\(self.url.authority)" }

  /// The URL of a path below the issuer.
  package func url(appending path: String) -> String {
    self.origin + self.path + path
  }
}

extension Issuer: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self.value)
  }
}
