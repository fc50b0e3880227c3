package import SallyportProtocol

/// One scope token and what it means to the user.
package struct ScopeLine: Sendable, Equatable {
  package let token: String
  /// Nil if the server knows only the scope's name.
  package let sentence: String?
  /// Whether the user has granted this app other scopes before, but not this one.
  package let isNew: Bool

  package init(_ token: String, isNew: Bool = false) {
    self.token = token
    self.sentence = Self.sentences[token]
    self.isNew = isNew
  }

  /// Returns one line for each token of a scope.
  /// - Parameter known: The scope that the user has granted this app before; nil if there is none.
  package static func lines(_ scope: Scope, known: Scope? = nil) -> [ScopeLine] {
    scope.tokens.map { token in
      ScopeLine(token, isNew: known.map { !$0.tokens.contains(token) } ?? false)
    }
  }

  /// The scopes of OpenID Connect Core 1.0 §3.1.2.1, §5.4, and §11.
  private static let sentences = [
    "openid": "Know who you are",
    "profile": "See your name and profile",
    "email": "See your email address",
    "address": "See your postal address",
    "phone": "See your phone number",
    "offline_access": "Keep access when you are away",
  ]
}
