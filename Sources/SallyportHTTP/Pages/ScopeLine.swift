import SallyportLanguages
package import SallyportProtocol

/// One scope value, as a page describes it to the user.
package struct ScopeLine: Sendable, Equatable {
  /// The scope value, for example `email`.
  package let token: String
  /// Whether the user has granted this app other scopes before, but not this one.
  package let isNew: Bool

  package init(_ token: String, isNew: Bool = false) {
    self.token = token
    self.isNew = isNew
  }

  /// Returns one line for each value of a scope.
  /// - Parameter known: The scope that the user has granted this app before; nil if there is none.
  package static func lines(_ scope: Scope, known: Scope? = nil) -> [ScopeLine] {
    scope.tokens.map { token in
      ScopeLine(token, isNew: known.map { !$0.tokens.contains(token) } ?? false)
    }
  }

  /// The values for the template.
  struct View {
    let token: String
    /// What the scope value means; nil if the server knows only its name.
    let sentence: String?
    let isNew: Bool
  }

  func view(_ texts: PageTexts) -> View {
    View(token: self.token, sentence: Self.sentences[self.token].map { texts[$0] }, isNew: self.isNew)
  }

  /// The scopes of OpenID Connect Core 1.0 §3.1.2.1, §5.4, and §11.
  private static let sentences: [String: PageText] = [
    "openid": .scopeOpenID,
    "profile": .scopeProfile,
    "email": .scopeEmail,
    "address": .scopeAddress,
    "phone": .scopePhone,
    "offline_access": .scopeOfflineAccess,
  ]
}
