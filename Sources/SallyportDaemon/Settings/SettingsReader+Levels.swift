import SallyportProtocol
import SallyportServer

extension SettingsReader {
  /// `scopes.require-acr`: the `acr` value (the level of the sign-in) that a grant requires, by scope value. A level
  /// that users cannot reach is a mistake, because no client could get the scope.
  /// - Parameter server: The configuration that was read so far. Its issuer and passkeys determine which levels users
  ///   can reach.
  mutating func readRequiredContexts(for server: ServerConfiguration) -> [String: String] {
    let levels = AuthenticationContext.Level.allCases.map(\.rawValue).joined(separator: ", ")
    let list =
      self.readList(
        .scopesRequiredContexts, "a list of scope values with a level each, such as payments=phr (the levels are \(levels))"
      ) { text -> (scope: String, context: String)? in
        guard let separator = text.lastIndex(of: "=") else { return nil }
        let (scope, context) = (String(text[..<separator]), String(text[text.index(after: separator)...]))
        guard Scope(scope)?.tokens == [scope], AuthenticationContext.Level(rawValue: context) != nil else { return nil }
        return (scope, context)
      } ?? []
    for (scope, context) in list where !server.offersLevel(context) {
      self.report(
        .scopesRequiredContexts,
        "requires \(context) for \(scope), but with these settings, users cannot reach this level (see passkeys.enabled, passkeys.authenticators, and the host of the issuer)"
      )
    }
    for scope in Set(list.map(\.scope)) where list.filter({ $0.scope == scope }).count > 1 {
      self.report(.scopesRequiredContexts, "names the scope \(scope) twice")
    }
    return Dictionary(list.map { ($0.scope, $0.context) }) { first, _ in first }
  }
}
