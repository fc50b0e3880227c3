/// A redirect URI of one of the kinds of RFC 8252 §7, checked once and kept byte for byte.
///
/// A value exists only for a URI that an authorization server may redirect to. ``matches(requested:anyLocalhostPort:)`` compares a
/// registered URI with a requested one; two values are equal if their texts are equal (RFC 8252 §8.4, "simple string comparison").
public struct RedirectURI: Hashable, Sendable, CustomStringConvertible {
  /// What kind of URI this is, and with it how far it proves who receives the answer (RFC 8252 §8.6).
  public enum Kind: Hashable, Sendable {
    /// An `https` URI: a web client's, or one that a native app claimed from the operating system (§7.2).
    case https
    /// A private-use scheme, a reversed domain name followed by a single slash (§7.1).
    case privateUse
    /// `http` on a loopback address, given as a literal or (not recommended, §8.3) by name.
    case loopback(LoopbackHost)
  }

  /// The URI as written.
  public let value: String
  public let kind: Kind
  package let components: URIComponents

  /// Reads and checks a redirect URI.
  /// - Throws: ``RedirectURIError``, which names the rule that the text breaks.
  public init(_ text: String) throws(RedirectURIError) {
    try self.init(text, schemes: .none)
  }

  /// Reads and checks a redirect URI, and also accepts private-use schemes without a period.
  /// - Parameters:
  ///   - text: The URI.
  ///   - schemes: The schemes without a period that are accepted.
  /// - Throws: ``RedirectURIError``, which names the rule that the text breaks.
  package init(_ text: String, schemes: UndottedSchemes) throws(RedirectURIError) {
    guard let components = URIComponents(text) else { throw .malformed }
    guard components.fragment == nil else { throw .fragment }
    guard components.userInfo == nil else { throw .userInfo }
    guard !components.path.split(separator: "/").contains(where: Self.isDotSegment) else { throw .dotSegment }
    self.kind = try Self.kind(of: components, schemes)
    self.value = text
    self.components = components
  }

  public var description: String { self.value }

  private static func kind(
    of components: URIComponents, _ schemes: UndottedSchemes
  ) throws(RedirectURIError) -> Kind {
    switch components.scheme {
    case "https":
      guard (try? EndpointURL("https://\(components.authority ?? "")")) != nil else { throw .malformed }
      return .https
    case "http":
      guard let host = components.host.flatMap({ LoopbackHost($0) }) else { throw .plainHTTP }
      return .loopback(host)
    default:
      return try self.privateUse(components, schemes)
    }
  }

  /// RFC 8252 §7.1 and §8.4; `msapp://{SID}` is Windows' own exception, Appendix B.3.
  private static func privateUse(
    _ components: URIComponents, _ schemes: UndottedSchemes
  ) throws(RedirectURIError) -> Kind {
    if components.scheme == "msapp", let host = components.host, self.isSecurityIdentifier(host), components.port == nil {
      return .privateUse
    }
    guard components.scheme.contains(".") else {
      guard schemes.contains(components.scheme) else { throw .schemeWithoutPeriod }
      try self.checkUndotted(components)
      return .privateUse
    }
    let labels = components.scheme.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy(self.isDomainLabel) else { throw .schemeWithoutPeriod }
    guard !IANASchemes.contains(components.scheme) else { throw .registeredScheme }
    guard components.authority == nil, components.path.hasPrefix("/") else { throw .notSingleSlash }
    return .privateUse
  }

  /// An app that chose a scheme without a period usually puts a host after it, as in `cursor://anysphere.cursor-mcp/callback`.
  private static func checkUndotted(_ components: URIComponents) throws(RedirectURIError) {
    guard components.authority.map({ !$0.isEmpty }) ?? components.path.hasPrefix("/") else { throw .notSingleSlash }
  }

  /// Letters, digits and inner hyphens.
  private static func isDomainLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.first != "-" && label.last != "-" && !label.contains("+")
  }

  /// A Windows app's identifier: `s-1-` and numbers with hyphens between them.
  private static func isSecurityIdentifier(_ host: String) -> Bool {
    host.hasPrefix("s-1-")
      && host.dropFirst(4).split(separator: "-", omittingEmptySubsequences: false).allSatisfy { number in
        !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
  }

  /// `.` and `..`, encoded or with a path parameter too, which some servers and proxies resolve.
  static func isDotSegment(_ segment: Substring) -> Bool {
    let name = segment.prefix { $0 != ";" }.lowercased()
    return [".", "..", "%2e", "%2e%2e", ".%2e", "%2e."].contains(name)
  }
}

/// Which rule a redirect URI breaks.
public enum RedirectURIError: Error, Equatable, Sendable {
  /// Not an absolute URI in the characters of RFC 3986, or with a port outside 1 to 65535.
  case malformed
  /// RFC 6749 §3.1.2.
  case fragment
  /// User information before the host, which hides where the answer really goes.
  case userInfo
  /// A `.` or `..` segment in the path.
  case dotSegment
  /// `http` to anything but `127.0.0.1`, `[::1]` or `localhost`, RFC 9700 §2.6.
  case plainHTTP
  /// A private-use scheme that is not a reversed domain name, and that the operator does not allow, RFC 8252 §7.1.
  case schemeWithoutPeriod
  /// A scheme registered with IANA, which belongs to nobody alone.
  case registeredScheme
  /// A private-use scheme followed by anything but exactly one slash, RFC 8252 §7.1.
  case notSingleSlash
}
