import FoundationEssentials
import SallyportProtocol

extension Timestamp {
  /// The time in UTC with milliseconds (ISO 8601), such as `2026-11-21T10:00:00.000Z`.
  var iso8601: String {
    // The style truncates the time to milliseconds, and the floating-point time can be slightly less than the whole
    // millisecond. Half a millisecond is added, so that the style does not output the previous millisecond.
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(self.date.addingTimeInterval(0.0005))
  }
}
