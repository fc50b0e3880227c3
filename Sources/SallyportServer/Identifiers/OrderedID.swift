import SallyportProtocol

/// Row identifiers that sort by creation time, with 128 random bits.
///
/// Rows that are created together are adjacent in an index of these identifiers, so a commit writes few pages. The
/// identifiers are not secret.
enum OrderedID {
  /// - Parameter prefix: Text that precedes the random part.
  static func random(at now: Timestamp, prefix: String = "") -> String {
    self.lowerBound(now) + "-" + prefix + RandomText.base64URL(bits: 128)
  }

  /// Returns a prefix that sorts before all identifiers of this time or later, and after all earlier ones.
  static func lowerBound(_ time: Timestamp) -> String {
    // Eleven digits are enough until 2527, so text order equals numeric order.
    self.hexadecimal(max(time.milliseconds, 0), width: 11)
  }

  /// Returns a number in lowercase hexadecimal, padded with zeros to at least this width.
  static func hexadecimal(_ number: Int64, width: Int) -> String {
    let width = max(width, (Int64.bitWidth - number.leadingZeroBitCount + 3) / 4)
    return String(unsafeUninitializedCapacity: width) { text in
      for position in 0..<width {
        let digit = UInt8(truncatingIfNeeded: number >> (4 * (width - 1 - position)) & 0xF)
        text[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      return width
    }
  }
}
