#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A moment in milliseconds since 1970 (UTC): what the stores keep and the checks compare.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Whole seconds since 1970, as JWT claims have them.
  public init(seconds: Int64) {
    self.milliseconds = seconds * 1000
  }

  /// The system's clock.
  @Sendable public static func now() -> Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }

  public var seconds: Int64 { self.milliseconds / 1000 }
  public var date: Date { Date(timeIntervalSince1970: Double(self.milliseconds) / 1000) }

  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.milliseconds < rhs.milliseconds }

  public static func + (lhs: Timestamp, rhs: Duration) -> Timestamp {
    Timestamp(milliseconds: lhs.milliseconds + rhs.milliseconds)
  }

  public static func - (lhs: Timestamp, rhs: Duration) -> Timestamp {
    Timestamp(milliseconds: lhs.milliseconds - rhs.milliseconds)
  }

  public static func - (lhs: Timestamp, rhs: Timestamp) -> Duration {
    .milliseconds(lhs.milliseconds - rhs.milliseconds)
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

/// Tells the time; injected, so that a test can say what time it is.
public typealias TimeSource = @Sendable () -> Timestamp

extension Duration {
  /// Whole milliseconds.
  package var milliseconds: Int64 {
    self.components.seconds * 1000 + self.components.attoseconds / 1_000_000_000_000_000
  }
}
