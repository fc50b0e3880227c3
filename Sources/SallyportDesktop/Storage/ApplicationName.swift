/// Whose values a store keeps: names a folder, and a mark on each value in the Secret Service.
///
/// Programs of one publisher that give the same name share what is stored; others do not meet.
public struct ApplicationName: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// The `sallyport` command and whatever shares its sessions.
  public static let sallyport = ApplicationName(unchecked: "sallyport")

  /// - Parameter name: letters, digits, `.`, `-` and `_`, the first one a letter or a digit; at most 100. A reversed domain name is
  ///   nobody else's, for example `com.example.notes`.
  /// - Returns: nil for anything else.
  public init?(_ name: String) {
    guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(Self.isAllowed), let first = name.utf8.first,
      Self.isLetterOrDigit(first)
    else { return nil }
    self.init(unchecked: name)
  }

  private init(unchecked name: String) {
    self.description = name
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    self.isLetterOrDigit(byte) || ".-_".utf8.contains(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}
