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
    let digits = String(max(time.milliseconds, 0), radix: 16)
    return String(repeating: "0", count: max(11 - digits.count, 0)) + digits
  }
}
