package import SallyportProtocol

/// One scope token and what it means for the person.
package struct ScopeLine: Sendable, Equatable {
  package let token: String
  /// Nil where the server knows nothing of the scope but its name.
  package let sentence: String?
  /// Whether the person has not allowed it before although they allowed others.
  package let isNew: Bool

  package init(_ token: String, isNew: Bool = false) {
    self.token = token
    self.sentence = Self.sentences[token]
    self.isNew = isNew
  }

  /// One line for each token of a scope; `known` is what the person allowed this app before.
  package static func lines(_ scope: Scope, known: Scope? = nil) -> [ScopeLine] {
    scope.tokens.map { token in
      ScopeLine(token, isNew: known.map { !$0.tokens.contains(token) } ?? false)
    }
  }

  /// OpenID Connect Core 1.0 §5.4 and §11.
  private static let sentences = [
    "openid": "Know who you are",
    "profile": "See your name and profile",
    "email": "See your email address",
    "address": "See your postal address",
    "phone": "See your phone number",
    "offline_access": "Keep access when you are away",
  ]
}
