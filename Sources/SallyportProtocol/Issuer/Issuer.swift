/// An authorization server's issuer identifier, RFC 8414 §2: an `https` URL without query and fragment, or `http` on loopback.
///
/// Two issuers are the same only where their texts are identical, RFC 8414 §3.3.
public struct Issuer: Hashable, Sendable, CustomStringConvertible {
  /// The identifier as written.
  public let value: String
  package let url: EndpointURL

  /// - Throws: ``EndpointURLError``
  public init(_ text: String) throws(EndpointURLError) {
    let url = try EndpointURL(text)
    guard url.components.query == nil else { throw .malformed }
    self.value = text
    self.url = url
  }

  public var description: String { self.value }
  /// The host, as it stands in the identifier.
  package var host: String { self.url.components.host ?? "" }
  /// Whether the issuer is reached over TLS.
  package var isHTTPS: Bool { self.url.components.scheme == "https" }
  /// The identifier's path without a trailing slash; empty where the issuer is the root of its host.
  package var path: String {
    let path = self.url.components.path
    return path.hasSuffix("/") ? String(path.dropLast()) : path
  }
  /// Scheme, host and port, as in an Origin header.
  package var origin: String { "\(self.url.components.scheme)://\(self.url.authority)" }

  /// The URL of a path below this issuer.
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
