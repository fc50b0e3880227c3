import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A time in UTC, as mail shows it.
struct MailTime {
  /// All components that this type reads are set, so the values after `??` are never used.
  private let parts: DateComponents

  init(_ time: Timestamp) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    self.parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour, .minute, .second], from: time.date)
  }

  /// The format of `Date` (RFC 5322 §3.3).
  var rfc5322: String {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let (day, month) = (days[(self.parts.weekday ?? 1) - 1], months[(self.parts.month ?? 1) - 1])
    return "\(day), \(self.twoDigits(\.day)) \(month) \(self.parts.year ?? 0) \(self.clock):\(self.twoDigits(\.second)) +0000"
  }

  /// A time that readers of all languages understand: `2026-11-23 17:00 UTC`.
  var text: String { "\(self.parts.year ?? 0)-\(self.twoDigits(\.month))-\(self.twoDigits(\.day)) \(self.clock) UTC" }

  private var clock: String { "\(self.twoDigits(\.hour)):\(self.twoDigits(\.minute))" }

  private func twoDigits(_ part: KeyPath<DateComponents, Int?>) -> String {
    let number = self.parts[keyPath: part] ?? 0
    return number < 10 ? "0\(number)" : "\(number)"
  }
}
