/// A set of scope tokens, RFC 6749 §3.3, in the order in which they were first named.
public struct Scope: Hashable, Sendable, CustomStringConvertible {
  public let tokens: [String]

  public static let openID: Scope = "openid"
  public static let profile: Scope = "profile"
  public static let email: Scope = "email"
  public static let offlineAccess: Scope = "offline_access"

  /// Reads a space-delimited list.
  /// - Returns: nil where a token has a character that RFC 6749 does not allow.
  public init?(_ text: some StringProtocol) {
    let tokens = String(text).utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    guard tokens.allSatisfy({ $0.utf8.allSatisfy(Self.isTokenCharacter) }) else { return nil }
    self.init(tokens: tokens)
  }

  /// The union of several scopes.
  public init(_ scopes: [Scope]) {
    self.init(tokens: scopes.flatMap(\.tokens))
  }

  private init(tokens: [String]) {
    var seen: Set<String> = []
    self.tokens = tokens.filter { seen.insert($0).inserted }
  }

  public var description: String { self.tokens.joined(separator: " ") }
  public var isEmpty: Bool { self.tokens.isEmpty }

  /// Whether every token of `other` is in this scope.
  public func contains(_ other: Scope) -> Bool {
    other.tokens.allSatisfy(self.tokens.contains)
  }

  /// The tokens that both have, in this scope's order.
  public func intersection(_ other: Scope) -> Scope {
    Scope(tokens: self.tokens.filter(Set(other.tokens).contains))
  }

  /// The tokens of this scope that `other` does not have.
  public func subtracting(_ other: Scope) -> Scope {
    Scope(tokens: self.tokens.filter { !other.tokens.contains($0) })
  }

  public static func == (lhs: Scope, rhs: Scope) -> Bool {
    Set(lhs.tokens) == Set(rhs.tokens)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(Set(self.tokens))
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
