/// A redirect URI of one of the kinds of RFC 8252 §7, checked once and kept byte for byte.
///
/// A value exists only for a URI that an authorization server may redirect to. Which registered URI a requested one matches is
/// told by ``matches(requested:anyLocalhostPort:)``; two values are equal where their texts are (RFC 8252 §8.4, "simple string comparison").
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
    guard let components = URIComponents(text) else { throw .malformed }
    guard components.fragment == nil else { throw .fragment }
    guard components.userInfo == nil else { throw .userInfo }
    guard !components.path.split(separator: "/").contains(where: Self.isDotSegment) else { throw .dotSegment }
    self.kind = try Self.kind(of: components)
    self.value = text
    self.components = components
  }

  public var description: String { self.value }

  private static func kind(of components: URIComponents) throws(RedirectURIError) -> Kind {
    switch components.scheme {
    case "https":
      guard (try? EndpointURL("https://\(components.authority ?? "")")) != nil else { throw .malformed }
      return .https
    case "http":
      guard let host = components.host.flatMap({ LoopbackHost($0) }) else { throw .plainHTTP }
      return .loopback(host)
    default:
      return try self.privateUse(components)
    }
  }

  /// RFC 8252 §7.1 and §8.4; `msapp://{SID}` is Windows' own exception, Appendix B.3.
  private static func privateUse(_ components: URIComponents) throws(RedirectURIError) -> Kind {
    if components.scheme == "msapp", let host = components.host, self.isSecurityIdentifier(host), components.port == nil {
      return .privateUse
    }
    guard components.scheme.contains(".") else { throw .schemeWithoutPeriod }
    let labels = components.scheme.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy(self.isDomainLabel) else { throw .schemeWithoutPeriod }
    guard !IANASchemes.contains(components.scheme) else { throw .registeredScheme }
    guard components.authority == nil, components.path.hasPrefix("/") else { throw .notSingleSlash }
    return .privateUse
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
  /// A private-use scheme that is not a reversed domain name, RFC 8252 §7.1.
  case schemeWithoutPeriod
  /// A scheme registered with IANA, which belongs to nobody alone.
  case registeredScheme
  /// A private-use scheme followed by anything but exactly one slash, RFC 8252 §7.1.
  case notSingleSlash
}
