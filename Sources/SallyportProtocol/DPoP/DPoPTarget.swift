/// The method and URL that a proof is for: `htm` and `htu` (RFC 9449 §4.2).
public struct DPoPTarget: Hashable, Sendable {
  /// The method as in the request. Methods are case-sensitive (RFC 9110 §9.1).
  public let method: String
  /// The normalized URL without its query and fragment, so that equivalent URLs are equal.
  public let url: String

  /// Creates a target with a normalized URL.
  /// - Returns: `nil` if `url` is not an absolute `https` or `http` URL, or has user information.
  public init?(method: String, url: String) {
    guard let normalized = Self.normalized(url) else { return nil }
    self.method = method
    self.url = normalized
  }

  /// RFC 9449 §4.3: syntax-based and scheme-based normalization (RFC 3986 §6.2.2 and §6.2.3).
  private static func normalized(_ text: String) -> String? {
    guard let components = URIComponents(text), components.userInfo == nil, let host = components.host, !host.isEmpty else {
      return nil
    }
    let scheme = components.scheme.lowercased()
    let defaultPort: UInt16
    switch scheme {
    case "https": defaultPort = 443
    case "http": defaultPort = 80
    default: return nil
    }
    let port = components.port.flatMap { $0 == defaultPort ? nil : ":\($0)" } ?? ""
    let path = Self.removingDotSegments(Self.decodingUnreserved(components.path))
    return "\(scheme)://\(Self.decodingUnreserved(host).lowercased())\(port)\(path.isEmpty ? "/" : path)"
  }

  /// RFC 3986 §6.2.2.1 and §6.2.2.2: decodes unreserved characters, and writes other percent-encodings in uppercase.
  private static func decodingUnreserved(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      // `URIComponents` has checked that two hexadecimal digits follow each percent sign.
      guard byte == UInt8(ascii: "%"), let high = rest.popFirst().flatMap(PercentEncoding.hexValue),
        let low = rest.popFirst().flatMap(PercentEncoding.hexValue)
      else {
        bytes.append(byte)
        continue
      }
      PercentEncoding.append(high << 4 | low, to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// RFC 3986 §6.2.2.3 and §5.2.4.
  private static func removingDotSegments(_ path: String) -> String {
    guard path.hasPrefix("/") else { return path }
    var segments: [Substring] = []
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { segments.append("") }
      case "..":
        _ = segments.popLast()
        if isLast { segments.append("") }
      default: segments.append(part)
      }
    }
    return "/" + segments.joined(separator: "/")
  }
}
