/// A set of scope tokens, RFC 6749 §3.3, in the order in which they were first named.
public struct Scope: Hashable, Sendable, CustomStringConvertible {
  public let tokens: [String]
  /// The tokens with a space between each two: the text that was read, where it stood like that, since nearly every one does.
  public let description: String

  public static let openID: Scope = "openid"
  public static let profile: Scope = "profile"
  public static let email: Scope = "email"
  public static let offlineAccess: Scope = "offline_access"

  /// Reads a space-delimited list.
  /// - Returns: nil where a token has a character that RFC 6749 does not allow.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let tokens = text.withUTF8({ Self.read($0) }) else { return nil }
    self.init(tokens: tokens, text: text)
  }

  /// The union of several scopes.
  public init(_ scopes: [Scope]) {
    self.init(tokens: Self.distinct(scopes.flatMap(\.tokens)))
  }

  /// - Parameters:
  ///   - tokens: each of them once.
  ///   - text: what they were read from.
  private init(tokens: [String], text: String? = nil) {
    let length = tokens.reduce(tokens.count - 1) { $0 + $1.utf8.count }
    self.tokens = tokens
    // Text of just that length has no space too many and no token twice.
    self.description = if let text, text.utf8.count == length { text } else { tokens.joined(separator: " ") }
  }

  public var isEmpty: Bool { self.tokens.isEmpty }

  /// Whether every token of `other` is in this scope.
  public func contains(_ other: Scope) -> Bool {
    other.tokens.allSatisfy { self.tokens.contains($0) }
  }

  /// The tokens that both have, in this scope's order.
  public func intersection(_ other: Scope) -> Scope {
    self.filter { other.tokens.contains($0) }
  }

  /// The tokens of this scope that `other` does not have.
  public func subtracting(_ other: Scope) -> Scope {
    self.filter { !other.tokens.contains($0) }
  }

  private func filter(_ isKept: (String) -> Bool) -> Scope {
    self.tokens.allSatisfy(isKept) ? self : Scope(tokens: self.tokens.filter(isKept))
  }

  /// Sets are compared, so two orders of the same tokens are equal. No token stands twice: as many that are all in the other are the same.
  public static func == (lhs: Scope, rhs: Scope) -> Bool {
    lhs.tokens.count == rhs.tokens.count && lhs.contains(rhs)
  }

  public func hash(into hasher: inout Hasher) {
    // Whatever the order, as equality has it.
    hasher.combine(self.tokens.reduce(0) { $0 ^ $1.hashValue })
  }

  /// The distinct tokens of the text; nil for a character that no token may have.
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

  /// The tokens without those that stood before. The few of which a scope consists are compared with each other; of a long list,
  /// which nobody sends who means well, a set tells, so that it costs no more than its length.
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

extension Scope: ExpressibleByStringLiteral {
  /// A scope written in source; a literal with a forbidden character is an empty scope.
  public init(stringLiteral value: String) {
    self = Scope(value) ?? Scope(tokens: [])
  }
}
