/// A valid redirect URI of one of the kinds in RFC 8252 §7, kept as written.
///
/// A value of this type is not necessarily registered for a client. Use ``matches(requested:anyLocalhostPort:)`` to
/// compare a registered URI with a requested one. Two values are equal if their text is identical (RFC 8252 §8.4).
public struct RedirectURI: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a URI, which determines how well the URI identifies the app that receives the response (RFC 8252
  /// §8.6).
  public enum Kind: Hashable, Sendable {
    /// An `https` URI that belongs to a web client, or that the operating system delivers to the native app that
    /// claimed it (§7.2).
    case https
    /// A URI with a private-use scheme: a reversed domain name followed by a single slash (§7.1), `msapp://{SID}`
    /// (Appendix B.3), or another form that was allowed explicitly.
    case privateUse
    /// An `http` URI with a loopback address: an IP literal, or the name `localhost`, which is not recommended (§8.3).
    case loopback(LoopbackHost)
  }

  /// The URI as written.
  public let value: String
  /// The kind of redirect URI.
  public let kind: Kind
  package let components: URIComponents

  /// Parses a redirect URI.
  /// - Throws: ``RedirectURIError``
  public init(_ text: String) throws(RedirectURIError) {
    try self.init(text, schemes: .none)
  }

  /// Parses a redirect URI, and also accepts private-use schemes without a period.
  /// - Parameters:
  ///   - text: The URI.
  ///   - schemes: The schemes without a period that are accepted.
  /// - Throws: ``RedirectURIError``
  package init(_ text: String, schemes: UndottedSchemes) throws(RedirectURIError) {
    let components = try Self.components(of: text)
    self.kind = try Self.kind(of: components, schemes)
    self.value = text
    self.components = components
  }

  /// Parses the redirect URI of an existing app, whose private-use scheme need not follow RFC 8252 §7.1:
  /// `myapp://callback`, `com.example.app://auth.example/path`, or `msauth.com.example.app://auth`.
  ///
  /// The app gives up the protection of a reversed domain name (§8.4): any other app can register a short scheme such
  /// as `myapp` by accident or on purpose, and the system may then open that app with the response. PKCE keeps that app
  /// from using the code, but the user's sign-in fails. Register a redirect URI that ``init(_:)`` accepts, and keep
  /// this one only until the app's older versions are gone. Schemes that the system or IANA reserves are rejected.
  /// - Throws: ``RedirectURIError``
  public init(insecureLegacyRedirect text: String) throws(RedirectURIError) {
    let components = try Self.components(of: text)
    if ["https", "http"].contains(components.scheme) {
      self.kind = try Self.kind(of: components, .none)
    } else {
      guard !IANASchemes.contains(components.scheme) else { throw .registeredScheme }
      try Self.checkHostOrPath(components)
      self.kind = .privateUse
    }
    self.value = text
    self.components = components
  }

  private static func components(of text: String) throws(RedirectURIError) -> URIComponents {
    guard let components = URIComponents(text) else { throw .malformed }
    guard components.fragment == nil else { throw .fragment }
    guard components.userInfo == nil else { throw .userInfo }
    guard !components.path.split(separator: "/").contains(where: self.isDotSegment) else { throw .dotSegment }
    return components
  }

  public var description: String { self.value }

  private static func kind(
    of components: URIComponents, _ schemes: UndottedSchemes
  ) throws(RedirectURIError) -> Kind {
    switch components.scheme {
    case "https":
      // `EndpointURL` checks the host and the port.
      guard (try? EndpointURL("https://\(components.authority ?? "")")) != nil else { throw .malformed }
      return .https
    case "http":
      guard let host = components.host.flatMap({ LoopbackHost($0) }) else { throw .plainHTTP }
      return .loopback(host)
    default:
      return try self.privateUse(components, schemes)
    }
  }

  /// Accepts a reversed domain name with a single slash (RFC 8252 §7.1 and §8.4), one of the schemes without a period,
  /// and `msapp://{SID}` for Windows apps (Appendix B.3).
  private static func privateUse(
    _ components: URIComponents, _ schemes: UndottedSchemes
  ) throws(RedirectURIError) -> Kind {
    if components.scheme == "msapp", let host = components.host, self.isSecurityIdentifier(host), components.port == nil {
      return .privateUse
    }
    guard components.scheme.contains(".") else {
      guard schemes.contains(components.scheme) else { throw .schemeWithoutPeriod }
      try self.checkHostOrPath(components)
      return .privateUse
    }
    let labels = components.scheme.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy(self.isDomainLabel) else { throw .schemeWithoutPeriod }
    guard !IANASchemes.contains(components.scheme) else { throw .registeredScheme }
    guard components.authority == nil, components.path.hasPrefix("/") else { throw .notSingleSlash }
    return .privateUse
  }

  /// Requires a host after `//` or, without `//`, a path that starts with a slash. Apps whose scheme has no period
  /// usually add a host, as in `cursor://anysphere.cursor-mcp/callback`.
  private static func checkHostOrPath(_ components: URIComponents) throws(RedirectURIError) {
    guard components.authority.map({ !$0.isEmpty }) ?? components.path.hasPrefix("/") else { throw .notSingleSlash }
  }

  /// Whether a label of a scheme consists of letters, digits, and inner hyphens. Apart from these and periods, a scheme
  /// can contain only `+` (RFC 3986 §3.1).
  private static func isDomainLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.first != "-" && label.last != "-" && !label.contains("+")
  }

  /// Whether the host is the security identifier of a Windows app: `s-1-` and numbers separated by hyphens.
  private static func isSecurityIdentifier(_ host: String) -> Bool {
    host.hasPrefix("s-1-")
      && host.dropFirst(4).split(separator: "-", omittingEmptySubsequences: false).allSatisfy { number in
        !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
  }

  /// Whether a path segment is `.` or `..`, even if it is percent-encoded (`%2e`) or followed by path parameters
  /// (`..;a=b`). Some servers and proxies resolve these forms too.
  static func isDotSegment(_ segment: Substring) -> Bool {
    let name = segment.prefix { $0 != ";" }.lowercased()
    return [".", "..", "%2e", "%2e%2e", ".%2e", "%2e."].contains(name)
  }
}

/// Why a redirect URI is invalid.
public enum RedirectURIError: Error, Equatable, Sendable {
  /// The text is not an absolute URI (RFC 3986), its port is outside 1 to 65535, or it is an `https` URI with an
  /// invalid host.
  case malformed
  /// The URI has a fragment (RFC 6749 §3.1.2).
  case fragment
  /// The URI has user information before the host, which hides the actual host.
  case userInfo
  /// The path contains a `.` or `..` segment.
  case dotSegment
  /// The URI uses `http` with a host other than `127.0.0.1`, `[::1]`, or `localhost` (RFC 9700 §2.6).
  case plainHTTP
  /// The private-use scheme is not a reversed domain name (RFC 8252 §7.1): it contains no period, or one of its labels
  /// is invalid, as in `a..b`. A scheme without a period is valid if the operator of the server allows it.
  case schemeWithoutPeriod
  /// The scheme is registered with IANA or handled by the system, so no app can own it.
  case registeredScheme
  /// The private-use scheme is not followed by exactly one slash (RFC 8252 §7.1). If the scheme was allowed explicitly,
  /// this error means that the URI has neither a host nor a path that starts with a slash.
  case notSingleSlash
}
