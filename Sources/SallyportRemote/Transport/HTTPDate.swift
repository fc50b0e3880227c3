import SallyportProtocol

/// Reads the `Date` field of a response.
enum HTTPDate {
  /// Parses an IMF-fixdate such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
  /// - Returns: `nil` if the text has another format, such as an obsolete format, or if the date is invalid.
  static func parse(_ text: String) -> Timestamp? {
    let parts = text.utf8.count <= 40 ? text.split(separator: " ") : []
    guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
      let day = self.number(parts[1], 1...31), let month = self.months.firstIndex(of: String(parts[2])),
      let year = self.number(parts[3], 1970...9999)
    else { return nil }
    let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
    guard time.count == 3, let hour = self.number(time[0], 0...23), let minute = self.number(time[1], 0...59),
      let second = self.number(time[2], 0...60)
    else { return nil }
    let days = self.days(year: year, month: month + 1, day: day)
    // December needs no check, because it has 31 days. Every other month ends where the next month of the year begins.
    guard month == 11 || days < self.days(year: year, month: month + 2, day: 1) else { return nil }
    return Timestamp(seconds: days * 86_400 + hour * 3600 + minute * 60 + second)
  }

  private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int64(text), range.contains(value) else {
      return nil
    }
    return value
  }

  /// The number of days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the leap day
  /// is the last day of a year. `(153 * month + 2) / 5` is the number of days from March 1 to the start of the month,
  /// and 719,468 is the number of days from 0000-03-01 to 1970-01-01.
  private static func days(year: Int64, month: Int, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let month = Int64((month + 9) % 12)
    let daysBeforeYear = 365 * year + year / 4 - year / 100 + year / 400
    return daysBeforeYear + (153 * month + 2) / 5 + day - 1 - 719_468
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
