/// The `prompt` parameter: how the server must prompt the user (OpenID Connect Core §3.1.2.1).
///
/// If the value is empty, the parameter is omitted, and the server decides which pages the user sees.
public struct Prompt: OptionSet, Hashable, Sendable, Codable, CustomStringConvertible {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The server shows no pages. If a page is needed, the server responds with an error. Cannot be combined with other
  /// values.
  public static let none = Prompt(rawValue: 1)
  /// Requires the user to authenticate again.
  public static let login = Prompt(rawValue: 2)
  /// Asks for consent again.
  public static let consent = Prompt(rawValue: 4)
  /// Lets the user choose an account.
  public static let selectAccount = Prompt(rawValue: 8)
  /// Creates a new account (Initiating User Registration via OpenID Connect 1.0). Cannot be combined with other values.
  public static let create = Prompt(rawValue: 16)

  /// Parses the parameter. Unknown values are ignored.
  /// - Returns: `nil` if `none` or `create` is combined with another known value.
  public init?(parsing text: String) {
    let names = text.split(separator: " ")
    let prompt = Prompt(Self.names.filter { names.contains($0.name[...]) }.map(\.prompt))
    guard prompt.isValid else { return nil }
    self = prompt
  }

  /// Whether `none` or `create`, if present, is the only value.
  public var isValid: Bool { self.isDisjoint(with: [.none, .create]) || self == .none || self == .create }

  /// The value of the parameter. Empty if there are no values.
  public var description: String {
    Self.names.filter { self.contains($0.prompt) }.map(\.name).joined(separator: " ")
  }

  private static let names: [(prompt: Prompt, name: String)] = [
    (.none, "none"), (.login, "login"), (.consent, "consent"), (.selectAccount, "select_account"), (.create, "create"),
  ]
}
