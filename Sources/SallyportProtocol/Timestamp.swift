#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A point in time, in milliseconds since 1970 (UTC).
public struct Timestamp: Hashable, Comparable, Sendable {
  /// The number of milliseconds since 1970 (UTC).
  public var milliseconds: Int64

  /// Creates a time from milliseconds since 1970 (UTC).
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Creates a time from whole seconds since 1970, as in JWT claims.
  public init(seconds: Int64) {
    self = Timestamp(milliseconds: 0) + .seconds(seconds)
  }

  /// Creates a time from a JWT claim in seconds since 1970. The token's issuer can write any number, so a time that is
  /// out of range becomes the earliest or latest time.
  package init(claim seconds: Double) {
    let milliseconds = (seconds * 1000).rounded(.down)
    self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }

  /// The current time of the system clock.
  @Sendable public static func now() -> Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }

  /// Creates the time of a date, rounded to the nearest millisecond.
  package init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
  }

  /// The number of whole seconds since 1970 (UTC).
  public var seconds: Int64 { self.milliseconds / 1000 }
  /// The time as a `Date`.
  public var date: Date { Date(timeIntervalSince1970: Double(self.milliseconds) / 1000) }

  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }

  /// Adds a duration. A sum that overflows becomes the latest or earliest time, because durations can come from
  /// untrusted sources.
  public static func + (lhs: Timestamp, rhs: Duration) -> Timestamp {
    let (sum, overflow) = lhs.milliseconds.addingReportingOverflow(rhs.milliseconds)
    return Timestamp(milliseconds: overflow ? (rhs < .zero ? .min : .max) : sum)
  }

  public static func - (lhs: Timestamp, rhs: Duration) -> Timestamp {
    lhs + (.zero - rhs)
  }

  public static func - (lhs: Timestamp, rhs: Timestamp) -> Duration {
    .milliseconds(lhs.milliseconds) - .milliseconds(rhs.milliseconds)
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self.milliseconds)
  }
}

/// Returns the current time. Tests inject their own implementation.
public typealias TimeSource = @Sendable () -> Timestamp

extension Duration {
  /// The duration in whole milliseconds. A value that overflows becomes the maximum or minimum.
  package var milliseconds: Int64 {
    // `components` stops the process if the number of seconds does not fit into 64 bits.
    guard self < .milliseconds(Int64.max) else { return .max }
    guard self > .milliseconds(Int64.min) else { return .min }
    let (seconds, attoseconds) = self.components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
