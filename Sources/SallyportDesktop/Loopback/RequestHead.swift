/// The part of an HTTP/1 request that the receiver looks at.
package struct RequestHead: Equatable, Sendable {
  package let method: String
  /// As written in the request line.
  package let target: String
  /// The one Host field; nil where it is missing.
  package let host: String?
  /// Whether the request announces a body.
  package let hasBody: Bool

  var path: Substring { self.target.prefix { $0 != "?" } }
  /// What follows the first `?`; nil without one.
  var query: Substring? {
    self.target.firstIndex(of: "?").map { self.target[self.target.index(after: $0)...] }
  }

  /// Reads the head, up to and without the empty line (RFC 9112 §2 to §5, strictly: no bare CR or LF, no folding, one Host).
  /// - Returns: nil for anything else.
  init?(_ bytes: some Collection<UInt8>) {
    guard let lines = Self.lines(bytes), let requestLine = lines.first else { return nil }
    let parts = requestLine.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].unicodeScalars.allSatisfy(Self.isTokenCharacter), parts[1].first == "/",
      !parts[1].contains("\t")
    else { return nil }
    guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else { return nil }
    self.method = String(parts[0])
    self.target = String(parts[1])

    var host: String?
    var hasBody = false
    for line in lines.dropFirst() {
      guard let (name, value) = Self.field(line) else { return nil }
      switch name {
      case "host":
        guard host == nil else { return nil }
        host = value
      case "content-length": hasBody = hasBody || value != "0"
      case "transfer-encoding": hasBody = true
      default: break
      }
    }
    self.host = host
    self.hasBody = hasBody
  }

  /// The lines of printable ASCII text in which CR and LF stand together at the end of a line and nowhere else.
  private static func lines(_ bytes: some Collection<UInt8>) -> [String]? {
    let (tab, lineFeed, carriageReturn) = (0x09 as UInt8, 0x0A as UInt8, 0x0D as UInt8)
    let lines = (Array(bytes) + [carriageReturn]).split(separator: lineFeed, omittingEmptySubsequences: false)
    let isWhole = lines.allSatisfy { line in
      line.last == carriageReturn && line.dropLast().allSatisfy { $0 == tab || (0x20...0x7E).contains($0) }
    }
    return isWhole ? lines.map { String(decoding: $0.dropLast(), as: UTF8.self) } : nil
  }

  /// A field's name in lower case and its value.
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
