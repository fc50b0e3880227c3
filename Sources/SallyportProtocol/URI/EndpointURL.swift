/// The URL of a server endpoint that is safe to open or request: `https`, or `http` on this machine's loopback
/// interface.
///
/// RFC 6749 §3.1 and §3.2 require TLS, and RFC 8252 permits the loopback interface without TLS. The type rejects other
/// schemes such as `file:` and `javascript:`, user information, fragments, and characters that RFC 3986 does not allow,
/// such as spaces and control characters.
public struct EndpointURL: Hashable, Sendable, CustomStringConvertible {
  /// The URL as written.
  public let value: String
  package let components: URIComponents

  /// Parses a URL.
  /// - Throws: ``EndpointURLError``
  public init(_ text: String) throws(EndpointURLError) {
    guard let components = URIComponents(text), let host = components.host, !host.isEmpty else { throw .malformed }
    guard components.userInfo == nil else { throw .userInfo }
    guard components.fragment == nil else { throw .fragment }
    guard Self.isHost(host) else { throw .malformed }
    switch components.scheme {
    case "https": break
    case "http" where LoopbackHost(host) != nil: break
    case "http": throw .plainHTTP
    default: throw .scheme
    }
    self.value = text
    self.components = components
  }

  public var description: String { self.value }

  /// `host` or `host:port`, as in a `Host` header field.
  package var authority: String { self.components.authority ?? "" }
  /// The path and query, with `/` for an empty path.
  package var pathAndQuery: String {
    let path = self.components.path.isEmpty ? "/" : self.components.path
    return self.components.query.map { "\(path)?\($0)" } ?? path
  }

  /// Returns this URL with parameters added. An existing query is kept (RFC 6749 §3.1).
  package func appending(query parameters: [(name: String, value: String)]) -> String {
    let encoded = FormParameters.encode(parameters)
    guard let query = self.components.query else { return "\(self.value)?\(encoded)" }
    return query.isEmpty ? self.value + encoded : "\(self.value)&\(encoded)"
  }

  /// Whether the host is an IPv6 literal, or consists of labels of letters, digits, underscores, and inner hyphens.
  private static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") { return IPv6Literal.isValid(host) }
    return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      !label.isEmpty && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }
  }
}

/// Why a URL is not a valid endpoint.
public enum EndpointURLError: Error, Equatable, Sendable {
  /// The text is not an absolute URI with a valid host and port. Also thrown for an issuer identifier with a query, and
  /// for an invalid parameter of a provider's preset.
  case malformed
  /// The scheme is neither `https` nor `http`.
  case scheme
  /// `http` with a host that is not on this machine's loopback interface.
  case plainHTTP
  case userInfo
  case fragment
}
