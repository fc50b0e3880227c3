import FoundationEssentials
import SallyportProtocol

extension Timestamp {
  /// The time in UTC with milliseconds (ISO 8601), such as `2026-11-21T10:00:00.000Z`.
  var iso8601: String {
    // The style truncates, and the floating-point value can be slightly less than the whole millisecond.
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(self.date.addingTimeInterval(0.0005))
  }
}
