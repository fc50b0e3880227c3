import Sallyport
import SallyportProtocol

/// The arguments of `sallyport token`, parsed without ArgumentParser.
///
/// Scripts call `sallyport token` frequently. Before ArgumentParser parses, it collects the definitions of all commands
/// and their options, which takes longer than everything else that the command does.
struct TokenArguments: Equatable {
  var choice = AccountChoice()
  var isRefresh = false
  var format: TokenFormat?

  /// - Parameter words: The arguments after the name of the program.
  /// - Returns: `nil` if the command is not `token`, or if the arguments contain an option that this type doesn't know,
  ///   a repeated option, or an invalid value. ArgumentParser must then parse them.
  init?(_ words: some Collection<String>) {
    guard words.first == "token" else { return nil }
    var rest = Array(words.dropFirst())[...]
    while let word = rest.popFirst() {
      let isSet =
        switch word {
        case "--refresh": self.setRefresh()
        case "--json": self.setFormat("json")
        default: self.set(word, &rest)
        }
      guard isSet else { return nil }
    }
  }

  /// - Returns: `false` if the option is repeated.
  private mutating func setRefresh() -> Bool {
    guard !self.isRefresh else { return false }
    self.isRefresh = true
    return true
  }

  private mutating func setFormat(_ name: String) -> Bool {
    guard self.format == nil, let format = TokenFormat(rawValue: name) else { return false }
    self.format = format
    return true
  }

  /// Sets an option whose value is in the same word or the next word.
  /// - Returns: `false` if the option is unknown or repeated, or if its value is missing or invalid.
  private mutating func set(_ word: String, _ rest: inout ArraySlice<String>) -> Bool {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { return false }
    switch parts[0] {
    case "--profile": return Self.set(&self.choice.profile, try? Arguments.profile(value))
    case "--issuer": return Self.set(&self.choice.issuer, try? Arguments.issuer(value))
    case "--client-id": return Self.set(&self.choice.clientID, value)
    case "--resource": return Self.set(&self.choice.resource, try? Arguments.apiURL(value))
    case "--output": return self.setFormat(value)
    default: return false
    }
  }

  private static func set<Value>(_ property: inout Value?, _ value: Value?) -> Bool {
    guard property == nil, let value else { return false }
    property = value
    return true
  }
}
