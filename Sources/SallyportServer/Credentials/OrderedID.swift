import SallyportProtocol

/// Identifiers of rows that sort by the time at which they were made, with 128 random bits.
///
/// Rows of one moment then stand together at the end of each index: a commit writes a few pages instead of one for each row.
/// Nothing is proved by knowing one.
enum OrderedID {
  static func random(at now: Timestamp) -> String {
    self.bound(now) + "-" + RandomText.base64URL(bits: 128)
  }

  /// Sorts before every identifier of this time or a later one, and after those of an earlier one.
  static func bound(_ time: Timestamp) -> String {
    // Eleven digits until 2527, so their order is that of the numbers.
    self.hexadecimal(max(time.milliseconds, 0), width: 11)
  }

  /// A number in lower-case hexadecimal, with zeros before it up to a width.
  static func hexadecimal(_ number: Int64, width: Int) -> String {
    let width = max(width, (Int64.bitWidth - number.leadingZeroBitCount + 3) / 4)
    return String(unsafeUninitializedCapacity: width) { text in
      for place in 0..<width {
        let digit = UInt8(truncatingIfNeeded: number >> (4 * (width - 1 - place)) & 0xF)
        text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      return width
    }
  }
}
