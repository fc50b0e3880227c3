/// The address of a server endpoint that may be opened or requested: `https`, or `http` on this machine's loopback.
///
/// RFC 6749 §3.1 and §3.2 ask for TLS; RFC 8252 leaves the loopback interface. The type has no value for `file:`,
/// `javascript:`, a leading dash, user information, a fragment, or a character that a shell or a terminal would read.
public struct EndpointURL: Hashable, Sendable, CustomStringConvertible {
  /// The URL as written.
  public let value: String
  package let components: URIComponents

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

  /// `host` or `host:port`, as in a Host header.
  package var authority: String { self.components.authority ?? "" }
  /// The path and query, at least `/`.
  package var pathAndQuery: String {
    let path = self.components.path.isEmpty ? "/" : self.components.path
    return self.components.query.map { "\(path)?\($0)" } ?? path
  }

  /// This URL with parameters added to its query (RFC 6749 §3.1: an endpoint's own query is kept).
  package func appending(query parameters: [(name: String, value: String)]) -> String {
    let encoded = FormParameters.encode(parameters)
    guard let query = self.components.query else { return "\(self.value)?\(encoded)" }
    return query.isEmpty ? self.value + encoded : "\(self.value)&\(encoded)"
  }

  /// An IPv6 literal, or labels of letters, digits and inner hyphens.
  private static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") { return IPv6Literal.isValid(host) }
    return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      !label.isEmpty && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }
  }
}

/// Why a URL is not used as an endpoint.
public enum EndpointURLError: Error, Equatable, Sendable {
  case malformed
  case scheme
  /// `http` to another host than this machine's loopback interface.
  case plainHTTP
  case userInfo
  case fragment
}
