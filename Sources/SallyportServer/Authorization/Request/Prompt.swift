/// The `prompt` parameter (OpenID Connect Core §3.1.2.1).
package struct Prompt: OptionSet, Sendable, Codable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let none = Prompt(rawValue: 1)
  package static let login = Prompt(rawValue: 2)
  package static let consent = Prompt(rawValue: 4)
  package static let selectAccount = Prompt(rawValue: 8)

  /// - Returns: Nil if `none` is combined with another value. Unknown values are ignored.
  init?(parsing text: String) {
    let known: [Substring: Prompt] = ["none": .none, "login": .login, "consent": .consent, "select_account": .selectAccount]
    let values = text.split(separator: " ").compactMap { known[$0] }
    let prompt = Prompt(values)
    if prompt.contains(.none), prompt != .none { return nil }
    self = prompt
  }
}
