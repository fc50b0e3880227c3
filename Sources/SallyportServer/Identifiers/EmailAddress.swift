/// An email address to which the server can send mail: an ASCII *addr-spec* without quotes, comments, or an address
/// literal (RFC 5322 §3.4.1).
///
/// A value contains no spaces or control characters, so it cannot add a header field or a recipient to a message.
package struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
  package let value: String

  /// - Returns: Nil if the text is not an email address of this form.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    // RFC 5321 §4.5.3.1: at most 64 octets in the local part, and 256 in the path, which includes two angle brackets.
    guard text.utf8.count <= 254, parts.count == 2, (1...64).contains(parts[0].count), Self.isDotAtom(parts[0]),
      Self.isDomain(parts[1])
    else { return nil }
    self.value = text
  }

  package var description: String { self.value }

  /// Whether a text consists of atoms that are separated by periods (RFC 5322 §3.2.3).
  private static func isDotAtom(_ text: Substring.UTF8View) -> Bool {
    text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
      !atom.isEmpty && atom.allSatisfy { self.isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
    }
  }

  /// Whether a text consists of labels that are separated by periods. A label has letters, digits, and inner hyphens
  /// (RFC 1123 §2.1).
  private static func isDomain(_ text: Substring.UTF8View) -> Bool {
    text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        && label.allSatisfy { self.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }
  }

  /// Whether a byte is one of `0`–`9`, `A`–`Z`, and `a`–`z`.
  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
