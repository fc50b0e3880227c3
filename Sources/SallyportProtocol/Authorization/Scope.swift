/// A set of scope values (RFC 6749 §3.3) that keeps their order.
public struct Scope: Hashable, Sendable, CustomStringConvertible {
  /// The distinct scope values in the order of their first occurrence.
  public let tokens: [String]
  /// The scope values separated by single spaces (RFC 6749 §3.3).
  public let description: String

  /// Requests an ID token (OpenID Connect Core §3.1.2.1).
  public static let openID: Scope = "openid"
  /// Requests the profile claims (OpenID Connect Core §5.4).
  public static let profile: Scope = "profile"
  /// Requests the email claims (OpenID Connect Core §5.4).
  public static let email: Scope = "email"
  /// Requests a refresh token (OpenID Connect Core §11).
  public static let offlineAccess: Scope = "offline_access"

  /// Parses a space-separated list.
  /// - Returns: `nil` if the text contains a character that RFC 6749 does not allow.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let tokens = text.withUTF8({ Self.read($0) }) else { return nil }
    self.init(tokens: tokens, text: text)
  }

  /// Creates the union of several scopes.
  public init(_ scopes: [Scope]) {
    self.init(tokens: Self.distinct(scopes.flatMap(\.tokens)))
  }

  /// - Parameters:
  ///   - tokens: The distinct scope values.
  ///   - text: The text that they were parsed from.
  private init(tokens: [String], text: String? = nil) {
    let joinedLength = tokens.reduce(tokens.count - 1) { $0 + $1.utf8.count }
    self.tokens = tokens
    // If the lengths match, the text has no extra spaces and no duplicates, and can be used as it is.
    self.description = if let text, text.utf8.count == joinedLength { text } else { tokens.joined(separator: " ") }
  }

  /// Whether there are no scope values.
  public var isEmpty: Bool { self.tokens.isEmpty }

  /// Whether this scope contains every value of `other`.
  public func contains(_ other: Scope) -> Bool {
    other.tokens.allSatisfy { self.tokens.contains($0) }
  }

  /// The values that are in both scopes, in the order of this scope.
  public func intersection(_ other: Scope) -> Scope {
    self.filter { other.tokens.contains($0) }
  }

  /// The values of this scope that are not in `other`.
  public func subtracting(_ other: Scope) -> Scope {
    self.filter { !other.tokens.contains($0) }
  }

  private func filter(_ isKept: (String) -> Bool) -> Scope {
    self.tokens.allSatisfy(isKept) ? self : Scope(tokens: self.tokens.filter(isKept))
  }

  /// Compares the scopes as sets, regardless of order. Values are distinct, so equal counts and one inclusion are
  /// enough.
  public static func == (lhs: Scope, rhs: Scope) -> Bool {
    lhs.tokens.count == rhs.tokens.count && lhs.contains(rhs)
  }

  public func hash(into hasher: inout Hasher) {
    // The hash must not depend on the order, because equality doesn't.
    hasher.combine(self.tokens.reduce(0) { $0 ^ $1.hashValue })
  }

  /// Parses the distinct values of a text. Returns `nil` if it contains a character that is not allowed.
  private static func read(_ text: UnsafeBufferPointer<UInt8>) -> [String]? {
    var tokens: [String] = []
    var start = 0
    for (index, byte) in text.enumerated() where !self.isTokenCharacter(byte) {
      guard byte == UInt8(ascii: " ") else { return nil }
      if start < index { tokens.append(String(decoding: text[start..<index], as: UTF8.self)) }
      start = index + 1
    }
    if start < text.count { tokens.append(String(decoding: text[start...], as: UTF8.self)) }
    return self.distinct(tokens)
  }

  /// Removes duplicates. Up to 16 values are first compared with one another. If they are distinct, as in most scopes,
  /// no set is needed. For more values, a set keeps the time linear.
  private static func distinct(_ tokens: [String]) -> [String] {
    let isDistinct = tokens.count <= 16 && tokens.indices.allSatisfy { !tokens[..<$0].contains(tokens[$0]) }
    if isDistinct { return tokens }
    var seen: Set<String> = []
    return tokens.filter { seen.insert($0).inserted }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
  }
}

extension Scope: ExpressibleByArrayLiteral {
  /// Creates the union of several scopes, as in `[.openID, .profile, "notes:read"]`.
  public init(arrayLiteral scopes: Scope...) {
    self.init(scopes)
  }
}

extension Scope: ExpressibleByStringLiteral {
  /// Creates a scope from a literal.
  /// - Precondition: The literal contains only characters that RFC 6749 §3.3 allows. To parse text that is
  ///   not a literal, use the initializer that returns `nil` for invalid text.
  public init(stringLiteral value: String) {
    guard let scope = Scope(value) else {
      preconditionFailure("The scope literal \"\(value)\" contains a character that RFC 6749 §3.3 does not allow.")
    }
    self = scope
  }
}
