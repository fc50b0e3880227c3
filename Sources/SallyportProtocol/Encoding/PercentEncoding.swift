/// Percent-encoding (RFC 3986 §2.1) of single values, and its form variant with `+` for a space.
package enum PercentEncoding {
  /// All but the unreserved characters is encoded, so the result is safe in a query, a form and a header.
  package static func encode(_ value: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.utf8.count)
    for byte in value.utf8 {
      if self.isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes += self.encoded(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The decoded text with `+` as a space, or nil for a broken encoding or bytes that are not UTF-8.
  package static func decodeForm(_ encoded: some Sequence<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var iterator = encoded.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "+"):
        bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(self.hexValue), let low = iterator.next().flatMap(self.hexValue) else {
          return nil
        }
        bytes.append(high << 4 | low)
      default:
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The three characters for one byte, with the upper-case digits of RFC 3986 §2.1.
  static func encoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), self.hexDigit(byte >> 4), self.hexDigit(byte & 15)]
  }

  /// `A-Z a-z 0-9 - . _ ~`, RFC 3986 §2.3.
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    Base64URL.isInAlphabet(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
  }

  package static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
