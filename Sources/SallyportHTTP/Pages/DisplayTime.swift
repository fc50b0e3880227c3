import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats a time for a page. The server does not know the user's time zone, so pages show UTC.
struct DisplayTime: Sendable {
  /// The text, such as `November 23, 2026 at 14:05 UTC`.
  let text: String
  /// The value of the `datetime` attribute, such as `2026-11-23T14:05:00Z`.
  let machine: String

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
  ]

  init(_ time: Timestamp) {
    self.machine = time.date.formatted(.iso8601)
    let parts = self.machine.split { "-T:Z".contains($0) }
    guard parts.count == 6, let month = Int(parts[1]), let day = Int(parts[2]), Self.months.indices.contains(month - 1) else {
      self.text = self.machine
      return
    }
    self.text = "\(Self.months[month - 1]) \(day), \(parts[0]) at \(parts[3]):\(parts[4]) UTC"
  }
}
