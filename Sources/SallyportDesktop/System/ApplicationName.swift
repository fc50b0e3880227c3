#if canImport(Darwin)
  import Foundation
#endif

/// The name of the application that stored values belong to. The name is used for the data folder, and identifies the
/// application's values in the Secret Service, the Keychain, or the Credential Manager.
///
/// Programs that use the same name share their stored values. Each app needs a name of its own.
public struct ApplicationName: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let description: String

  /// The name of the `sallyport` command. Programs that use this name share the command's sessions.
  public static let sallyport = ApplicationName(unchecked: "sallyport-cli")

  /// The name that all programs shared in previews before version 0.1. Now it is used only to find values that previews
  /// stored, so that each application can move them to its own store.
  package static let sharedInPreviews = ApplicationName(unchecked: "sallyport")

  /// Creates a name.
  /// - Parameter name: 1 to 100 letters, digits, `.`, `-`, and `_`, starting with a letter or a digit. To avoid
  ///   collisions, use a reversed domain name, for example `com.example.notes`.
  /// - Returns: `nil` if the name is invalid, or is `sallyport`, which all programs shared in previews.
  public init?(_ name: String) {
    guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(Self.isAllowed), let first = name.utf8.first,
      Self.isLetterOrDigit(first), name != Self.sharedInPreviews.description
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

extension ApplicationName: ExpressibleByStringLiteral {
  /// Creates a name from a literal.
  /// - Precondition: The literal is a valid name; see ``init(_:)``.
  public init(stringLiteral name: String) {
    guard let valid = ApplicationName(name) else { preconditionFailure("\"\(name)\" is not a valid application name") }
    self = valid
  }
}

#if canImport(Darwin)
  extension ApplicationName {
    /// This app's bundle identifier, or `nil` if it is missing or is not a valid name.
    public static var bundleIdentifier: ApplicationName? {
      Bundle.main.bundleIdentifier.flatMap { ApplicationName($0) }
    }
  }
#endif
