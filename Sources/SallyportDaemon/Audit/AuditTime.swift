import FoundationEssentials
import SallyportProtocol

/// A time as an operator writes it: how long ago (`90s`, `30m`, `2h`, `7d`), a day (`2026-11-21`), or a day with a time
/// (`2026-11-21T10:00:00Z`, `2026-11-21 10:00`). A time without a time zone is in UTC, as in all output.
enum AuditTime {
  /// - Returns: Nil if the text has none of these forms.
  static func parse(_ text: String, at now: Timestamp) -> Timestamp? {
    if let age = Duration(setting: text) { return now - age }
    let iso = Date.ISO8601FormatStyle.iso8601
    let time = text.replacing(" ", with: "T")
    let candidates = [time, time + "Z", time + ":00Z", time + "T00:00:00Z"]
    for candidate in candidates {
      if let date = try? iso.parse(candidate) {
        return Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
      }
    }
    return nil
  }
}
