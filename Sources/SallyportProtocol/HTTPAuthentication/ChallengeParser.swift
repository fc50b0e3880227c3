/// Parses the challenges in the value of one `WWW-Authenticate` field (RFC 9110 §11.6.1, with lists in §5.6.1, tokens
/// in §5.6.2, and quoted strings in §5.6.4).
///
/// A comma separates both challenges and the parameters of one challenge. The text after a comma is a parameter if it
/// starts with a name and `=`. Otherwise it is the next challenge.
struct ChallengeParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ field: String) throws(ChallengeError) {
    guard field.utf8.count <= Self.maximumLength else { throw .tooLong }
    self.bytes = Array(field.utf8)
  }

  /// The maximum length of a field in bytes.
  private static let maximumLength = 16 << 10

  mutating func challenges() throws(ChallengeError) -> [AuthenticationChallenge] {
    var challenges: [AuthenticationChallenge] = []
    self.skipEmptyElements()
    while self.position < self.bytes.count {
      challenges.append(try self.challenge())
    }
    return challenges
  }

  /// Parses one challenge, up to the scheme of the next challenge.
  private mutating func challenge() throws(ChallengeError) -> AuthenticationChallenge {
    guard let scheme = self.token() else { throw .malformed }
    let hasSpace = self.skipWhitespace()
    guard self.position < self.bytes.count, self.bytes[self.position] != UInt8(ascii: ",") else {
      // A scheme without parameters. What follows the comma belongs to the next challenge.
      try self.endElement()
      return AuthenticationChallenge(scheme: scheme, token68: nil, parameters: [])
    }
    guard hasSpace else { throw .malformed }
    if let token68 = self.token68() {
      try self.endElement()
      return AuthenticationChallenge(scheme: scheme, token68: token68, parameters: [])
    }
    return AuthenticationChallenge(scheme: scheme, token68: nil, parameters: try self.parameters())
  }

  private mutating func parameters() throws(ChallengeError) -> [AuthenticationChallenge.Parameter] {
    guard let first = try self.parameter() else { throw .malformed }
    var parameters = [first]
    try self.endElement()
    while let next = try self.parameter() {
      guard !parameters.contains(where: { $0.name == next.name }) else { throw .repeatedParameter }
      parameters.append(next)
      try self.endElement()
    }
    return parameters
  }

  /// Parses a parameter. Returns `nil` without advancing at the end of the list, or before the scheme of the next
  /// challenge.
  private mutating func parameter() throws(ChallengeError) -> AuthenticationChallenge.Parameter? {
    let start = self.position
    guard let name = self.token() else { return nil }
    self.skipWhitespace()
    guard self.take(UInt8(ascii: "=")) else {
      self.position = start
      return nil
    }
    self.skipWhitespace()
    guard let value = try self.quotedString() ?? self.token() else { throw .malformed }
    return AuthenticationChallenge.Parameter(name: name.lowercased(), value: value)
  }

  /// Parses a token68 that fills its list element. Returns `nil` without advancing for anything else, including a
  /// parameter.
  private mutating func token68() -> String? {
    let start = self.position
    let characters = self.take { Base64URL.isInAlphabet($0) || ".~+/".utf8.contains($0) }
    let padding = self.take { $0 == UInt8(ascii: "=") }
    let end = self.position
    self.skipWhitespace()
    let isAtEnd = self.position == self.bytes.count || self.bytes[self.position] == UInt8(ascii: ",")
    guard !characters.isEmpty, isAtEnd else {
      self.position = start
      return nil
    }
    self.position = end
    return characters + padding
  }

  private mutating func token() -> String? {
    let text = self.take { Self.isTokenCharacter($0) }
    return text.isEmpty ? nil : text
  }

  private mutating func quotedString() throws(ChallengeError) -> String? {
    guard self.take(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while self.position < self.bytes.count {
      var byte = self.bytes[self.position]
      self.position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        guard self.position < self.bytes.count else { throw .malformed }
        byte = self.bytes[self.position]
        self.position += 1
      }
      guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else { throw .malformed }
      content.append(byte)
    }
    throw .malformed
  }

  /// Consumes the end of a list element: the end of the field, or a comma and any empty elements that follow it.
  private mutating func endElement() throws(ChallengeError) {
    self.skipWhitespace()
    guard self.position < self.bytes.count else { return }
    guard self.bytes[self.position] == UInt8(ascii: ",") else { throw .malformed }
    self.skipEmptyElements()
  }

  private mutating func skipEmptyElements() {
    _ = self.take { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }
  }

  @discardableResult
  private mutating func skipWhitespace() -> Bool {
    !self.take { $0 == 0x20 || $0 == 0x09 }.isEmpty
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard self.position < self.bytes.count, self.bytes[self.position] == byte else { return false }
    self.position += 1
    return true
  }

  private mutating func take(while isIncluded: (UInt8) -> Bool) -> String {
    let prefix = self.bytes[self.position...].prefix(while: isIncluded)
    self.position = prefix.endIndex
    return String(decoding: prefix, as: UTF8.self)
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
