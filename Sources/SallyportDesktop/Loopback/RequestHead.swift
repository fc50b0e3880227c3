/// The parts of an HTTP/1 request that the receiver uses.
package struct RequestHead: Equatable, Sendable {
  package let method: String
  /// The request target as written in the request line.
  package let target: String
  /// The value of the Host field, or `nil` if it is missing.
  package let host: String?
  /// Whether the request announces a body.
  package let hasBody: Bool
  /// The value of the first Accept-Language field, or `nil` if it is missing.
  package let acceptLanguage: String?

  var path: Substring { self.target.prefix { $0 != "?" } }
  /// The part after the first `?`, or `nil` if there is none.
  var query: Substring? {
    self.target.firstIndex(of: "?").map { self.target[self.target.index(after: $0)...] }
  }

  /// Strictly parses a request head, without its final empty line (RFC 9112 §2 to §5): no bare CR or LF, no folding, at
  /// most one Host field. The values of all fields except Host can contain bytes that are not ASCII (RFC 9110 §5.5),
  /// because browsers send the cookies of all servers on the same host, regardless of the port.
  /// - Returns: `nil` if the head is invalid.
  init?(_ bytes: some Collection<UInt8>) {
    guard let lines = Self.lines(bytes), let requestLine = lines.first, Self.isPrintableASCII(requestLine) else { return nil }
    let parts = requestLine.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].unicodeScalars.allSatisfy(Self.isTokenCharacter), parts[1].first == "/"
    else { return nil }
    guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else { return nil }
    self.method = String(parts[0])
    self.target = String(parts[1])

    var host: String?
    var hasBody = false
    var acceptLanguage: String?
    for line in lines.dropFirst() {
      guard let (name, value) = Self.field(line) else { return nil }
      switch name {
      case "host":
        guard host == nil, Self.isPrintableASCII(value) else { return nil }
        host = value
      case "content-length": hasBody = hasBody || value != "0"
      case "transfer-encoding": hasBody = true
      case "accept-language": acceptLanguage = acceptLanguage ?? value
      default: break
      }
    }
    self.host = host
    self.hasBody = hasBody
    self.acceptLanguage = acceptLanguage
  }

  /// Splits the head into lines. Returns `nil` unless every line ends with CR LF and contains no control characters
  /// except tabs. Each byte becomes the Unicode scalar with the same value, so the bytes need not be valid UTF-8.
  private static func lines(_ bytes: some Collection<UInt8>) -> [String]? {
    let (tab, lineFeed, carriageReturn) = (0x09 as UInt8, 0x0A as UInt8, 0x0D as UInt8)
    // The CR LF at the end of the last line is not in `bytes`. With this CR, the last line ends like all others.
    let lines = (Array(bytes) + [carriageReturn]).split(separator: lineFeed, omittingEmptySubsequences: false)
    let areValid = lines.allSatisfy { line in
      line.last == carriageReturn && line.dropLast().allSatisfy { $0 == tab || ($0 >= 0x20 && $0 != 0x7F) }
    }
    return areValid ? lines.map { String(String.UnicodeScalarView($0.dropLast().map { Unicode.Scalar($0) })) } : nil
  }

  private static func isPrintableASCII(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Splits a field into its lowercase name and its value. Returns `nil` if the field is malformed.
  private static func field(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
      line[..<colon].unicodeScalars.allSatisfy(self.isTokenCharacter)
    else { return nil }
    return (line[..<colon].lowercased(), self.trimmed(line[line.index(after: colon)...]))
  }

  private static func isTokenCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~": true
    default: false
    }
  }

  private static func trimmed(_ value: Substring) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    var value = value.drop(while: isBlank)
    while value.last.map(isBlank) == true { value.removeLast() }
    return String(value)
  }
}
