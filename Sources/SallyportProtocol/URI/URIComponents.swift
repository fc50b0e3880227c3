/// The parts of an absolute URI, parsed strictly (RFC 3986). Nothing is repaired, decoded, or normalized.
///
/// Security checks compare the URI as written, so spaces, backslashes, control characters, non-ASCII characters, and
/// invalid percent-encoding are rejected.
package struct URIComponents: Sendable, Hashable {
  package let scheme: String
  /// The authority, possibly empty. `nil` if `//` does not follow the scheme.
  package let authority: String?
  package let userInfo: String?
  /// The host as written, with brackets around an IPv6 literal. `nil` without an authority.
  package let host: String?
  package let port: UInt16?
  package let path: String
  package let query: String?
  package let fragment: String?

  /// - Returns: `nil` if the text is not an absolute URI, or if its port is not 1 to 65535.
  package init?(_ text: some StringProtocol) {
    // `isWellFormed` rejects everything that is not ASCII, so the text can be read as bytes. Reading each `Character`
    // would be much slower.
    guard !text.isEmpty, Self.isWellFormed(text.utf8) else { return nil }
    var rest = Substring(text).utf8

    let fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
    let query = Self.cut(&rest, at: UInt8(ascii: "?"))
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = rest[..<colon]
    guard Self.isScheme(scheme) else { return nil }
    rest = rest[colon...].dropFirst()

    self.scheme = String(Substring(scheme))
    self.query = query
    self.fragment = fragment
    guard rest.starts(with: "//".utf8) else {
      (self.authority, self.userInfo, self.host, self.port) = (nil, nil, nil, nil)
      self.path = String(Substring(rest))
      return
    }

    rest = rest.dropFirst(2)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    self.path = String(Substring(rest[authority.endIndex...]))
    self.authority = String(Substring(authority))
    var hostPort = authority
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      self.userInfo = String(Substring(authority[..<at]))
      hostPort = authority[at...].dropFirst()
    } else {
      self.userInfo = nil
    }
    guard let (host, port) = Self.splitHostPort(hostPort) else { return nil }
    self.host = String(Substring(host))
    self.port = port
  }

  /// Removes the first `separator` and everything after it from `text`, and returns what followed the separator.
  private static func cut(_ text: inout Substring.UTF8View, at separator: UInt8) -> String? {
    guard let index = text.firstIndex(of: separator) else { return nil }
    defer { text = text[..<index] }
    return String(Substring(text[index...].dropFirst()))
  }

  private static func splitHostPort(_ text: Substring.UTF8View) -> (Substring.UTF8View, UInt16?)? {
    let host: Substring.UTF8View
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      host = text[...end]
      // An IPv6 literal has only hexadecimal digits, colons, and periods.
      guard host.dropFirst().dropLast().allSatisfy({ PercentEncoding.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E })
      else { return nil }
    } else {
      host = text.prefix { $0 != UInt8(ascii: ":") }
      guard !host.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else { return nil }
    }
    let rest = text[host.endIndex...]
    if rest.isEmpty { return (host, nil) }
    guard rest.first == UInt8(ascii: ":"), let port = self.port(rest.dropFirst()) else { return nil }
    return (host, port)
  }

  /// Parses a decimal port without leading zeros.
  private static func port(_ text: Substring.UTF8View) -> UInt16? {
    guard text.allSatisfy({ (0x30...0x39).contains($0) }), text.first != UInt8(ascii: "0") else { return nil }
    return UInt16(Substring(text))
  }

  private static func isScheme(_ text: Substring.UTF8View) -> Bool {
    // `| 0x20` makes an ASCII letter lowercase. The first character must be a letter.
    guard let first = text.first, (first | 0x20) >= 0x61, (first | 0x20) <= 0x7A else { return false }
    return text.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
  }

  /// Whether the text has only characters that RFC 3986 allows, and two hexadecimal digits after each `%`.
  private static func isWellFormed(_ text: some Collection<UInt8>) -> Bool {
    var index = text.startIndex
    while index != text.endIndex {
      let byte = text[index]
      text.formIndex(after: &index)
      if byte == UInt8(ascii: "%") {
        for _ in 0..<2 {
          guard index != text.endIndex, PercentEncoding.hexValue(text[index]) != nil else { return false }
          text.formIndex(after: &index)
        }
      } else if !PercentEncoding.isUnreserved(byte), !Self.isReserved(byte) {
        return false
      }
    }
    return true
  }

  /// RFC 3986 §2.2: `reserved`.
  private static func isReserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: "/"),
      UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["),
      UInt8(ascii: "]"):
      true
    default: false
    }
  }
}
