import SallyportProtocol

/// Identifiers of rows that sort by the time at which they were made, with 128 random bits.
///
/// Rows of one moment then stand together at the end of each index: a commit writes a few pages instead of one for each row.
/// Nothing is proved by knowing one.
enum OrderedID {
  static func random(at now: Timestamp) -> String {
    // Eleven digits from 2004 to 2527, so their order is that of the numbers.
    String(now.milliseconds, radix: 16) + "-" + RandomText.base64URL(bits: 128)
  }
}
