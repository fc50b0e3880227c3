/// `prompt`: what the server asks of the person even if nothing would need to be asked, OpenID Connect Core §3.1.2.1.
///
/// Empty, the server decides.
public struct Prompt: OptionSet, Hashable, Sendable, Codable, CustomStringConvertible {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// No page at all: an error where one would be needed. It goes with no other value.
  public static let none = Prompt(rawValue: 1)
  public static let login = Prompt(rawValue: 2)
  public static let consent = Prompt(rawValue: 4)
  public static let selectAccount = Prompt(rawValue: 8)
  /// A new account, Initiating User Registration via OpenID Connect 1.0.
  public static let create = Prompt(rawValue: 16)

  /// Reads the parameter.
  /// - Returns: nil for `none` beside another value. Unknown values are ignored.
  public init?(parsing text: String) {
    let names = text.split(separator: " ")
    let prompt = Prompt(Self.names.filter { names.contains($0.name[...]) }.map(\.prompt))
    guard prompt.isValid else { return nil }
    self = prompt
  }

  /// Whether `none` stands alone.
  public var isValid: Bool { !self.contains(.none) || self == .none }

  /// The parameter's value; empty where there is none.
  public var description: String {
    Self.names.filter { self.contains($0.prompt) }.map(\.name).joined(separator: " ")
  }

  private static let names: [(prompt: Prompt, name: String)] = [
    (.none, "none"), (.login, "login"), (.consent, "consent"), (.selectAccount, "select_account"), (.create, "create"),
  ]
}
