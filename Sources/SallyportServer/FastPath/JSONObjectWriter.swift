package import SallyportProtocol

/// Writes a JSON object (RFC 8259) member by member.
///
/// This type encodes access tokens, ID tokens, and the responses of the token, introspection, and userinfo endpoints,
/// because Foundation's encoder took 8% of the time of a token refresh. If members are added in alphabetical order, the
/// bytes are the same as the bytes that ``WireJSON/encode(_:)-(Encodable)`` returns. A test compares them for every
/// type that uses this writer. Nil values are omitted.
package struct JSONObjectWriter {
  private var bytes: [UInt8] = []

  init() {
    self.bytes.reserveCapacity(512)
  }

  /// Returns the object that `members` writes.
  static func object(_ members: (inout JSONObjectWriter) -> Void) -> [UInt8] {
    var writer = JSONObjectWriter()
    writer.nest(members)
    return writer.bytes
  }

  package mutating func add(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    self.begin(name)
    self.write(value)
  }

  package mutating func add(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    self.begin(name)
    self.bytes += String(value).utf8
  }

  package mutating func add(_ name: StaticString, _ value: Int?) {
    self.add(name, value.map { Int64($0) })
  }

  /// Adds a time in seconds. A whole number is written as an integer.
  package mutating func add(_ name: StaticString, _ value: Double?) {
    guard let value else { return }
    if let whole = Int64(exactly: value) { return self.add(name, whole) }
    self.begin(name)
    self.bytes += value.description.utf8
  }

  package mutating func add(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.begin(name)
    self.bytes += (value ? "true" : "false").utf8
  }

  package mutating func add(_ name: StaticString, _ values: [String]?) {
    guard let values else { return }
    self.begin(name)
    self.bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { self.bytes.append(UInt8(ascii: ",")) }
      self.write(value)
    }
    self.bytes.append(UInt8(ascii: "]"))
  }

  /// Adds an audience. A single audience is written as a string (RFC 7519 §4.1.3).
  package mutating func add(_ name: StaticString, _ audience: Audience?) {
    guard let audience else { return }
    if audience.values.count == 1 { return self.add(name, audience.values[0]) }
    self.add(name, audience.values)
  }

  /// Adds a `cnf` value (RFC 7800 §3).
  package mutating func add(_ name: StaticString, _ confirmation: TokenConfirmation?) {
    guard let confirmation else { return }
    self.begin(name)
    self.nest { $0.add("jkt", confirmation.keyThumbprint) }
  }

  private mutating func nest(_ members: (inout JSONObjectWriter) -> Void) {
    self.bytes.append(UInt8(ascii: "{"))
    members(&self)
    self.bytes.append(UInt8(ascii: "}"))
  }

  /// Writes a comma if needed, a member name, and a colon. The name is not escaped, so it must not contain quotes,
  /// backslashes, or control characters.
  private mutating func begin(_ name: StaticString) {
    // The last byte is `{` only before the first member, because no value ends with `{`.
    if self.bytes.last != UInt8(ascii: "{") { self.bytes.append(UInt8(ascii: ",")) }
    self.bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { self.bytes += $0 }
    self.bytes.append(UInt8(ascii: "\""))
    self.bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a string (RFC 8259 §7).
  private mutating func write(_ text: String) {
    self.bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      if utf8.contains(where: Self.needsEscape) {
        for byte in utf8 { self.writeEscaped(byte) }
      } else {
        self.bytes += utf8
      }
    }
    self.bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func writeEscaped(_ byte: UInt8) {
    guard Self.needsEscape(byte) else { return self.bytes.append(byte) }
    self.bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.bytes.append(byte)
    case 0x08: self.bytes.append(UInt8(ascii: "b"))
    case 0x09: self.bytes.append(UInt8(ascii: "t"))
    case 0x0A: self.bytes.append(UInt8(ascii: "n"))
    case 0x0C: self.bytes.append(UInt8(ascii: "f"))
    case 0x0D: self.bytes.append(UInt8(ascii: "r"))
    default:
      let digits = String(byte, radix: 16)
      self.bytes += (digits.utf8.count == 1 ? "u000" : "u00").utf8
      self.bytes += digits.utf8
    }
  }
}

/// A value that ``JSONObjectWriter`` encodes.
package protocol WireObject: Encodable {
  /// Adds the members in alphabetical order.
  func write(to object: inout JSONObjectWriter)
}

extension WireJSON {
  package static func encode(_ value: some WireObject) -> [UInt8] {
    JSONObjectWriter.object { value.write(to: &$0) }
  }
}
