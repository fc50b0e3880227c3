import NIOHTTP1

/// What ``HTTP1Rules`` needs to know about the header fields of a request, found in one pass.
struct FramingFields {
  /// The number of `Host` fields.
  var hosts = 0
  /// Whether every `Host` field contains only characters that are allowed there.
  var isHostValid = true
  /// The value of `Content-Length`, in bytes; 0 if the field is missing.
  var contentLength = 0
  /// Whether there is an `Expect` field.
  var hasExpectation = false

  init(of headers: HTTPHeaders) {
    for (name, value) in headers {
      switch name.utf8.count {
      case 4 where Self.equals(name, "host"):
        self.hosts += 1
        self.isHostValid = self.isHostValid && value.utf8.allSatisfy(Self.isHostCharacter)
      case 6 where Self.equals(name, "expect"): self.hasExpectation = true
      // The parser has checked that the value consists of digits, so `Int` fails only if the number is too large.
      case 14 where Self.equals(name, "content-length"): self.contentLength = Int(value) ?? .max
      default: break
      }
    }
  }

  /// Compares two names case-insensitively.
  /// - Parameter lowercased: A name in lowercase. It must be as long as the other name.
  private static func equals(_ name: String, _ lowercased: StaticString) -> Bool {
    // Bit 0x20 distinguishes an uppercase letter from a lowercase letter in ASCII.
    lowercased.withUTF8Buffer { expected in zip(name.utf8, expected).allSatisfy { $0 | 0x20 == $1 } }
  }

  /// Whether a byte may occur in a `Host` field (RFC 9112 §3.2, RFC 3986 §3.2.2).
  private static func isHostCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: Self.hostPunctuation.contains(byte)
    }
  }

  private static let hostPunctuation = Array("-._~%!$&'()*+,;=:[]".utf8)
}
