import SallyportLanguages
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats a time for a page. The server does not know the user's time zone, so pages show UTC.
///
/// The catalogs of texts (Resources/Languages) contain the format and the names of the months, so that the server needs
/// neither ICU nor its data, and shows the same text on every system.
struct DisplayTime: Sendable {
  /// The text, such as `November 23, 2026 at 14:05 UTC`.
  let text: String
  /// The value of the `datetime` attribute, such as `2026-11-23T14:05:00Z`.
  let machine: String

  private static let months: [PageText] = [
    .january, .february, .march, .april, .may, .june, .july, .august, .september, .october, .november, .december,
  ]

  init(_ time: Timestamp, _ texts: PageTexts) {
    self.machine = time.date.formatted(.iso8601)
    // Year, month, day, hour, minute, and second.
    let parts = self.machine.split { "-T:Z".contains($0) }
    guard parts.count == 6, let month = Int(parts[1]), let day = Int(parts[2]), Self.months.indices.contains(month - 1) else {
      self.text = self.machine
      return
    }
    self.text = texts(
      .time,
      [
        "month": .text(texts[Self.months[month - 1]]), "day": .number(day), "year": .text(String(parts[0])),
        "hour": .text(String(parts[3])), "minute": .text(String(parts[4])),
      ])
  }
}
