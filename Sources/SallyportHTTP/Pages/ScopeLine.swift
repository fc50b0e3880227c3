/// One scope token and what it means for the person.
package struct ScopeLine: Sendable, Equatable {
  package let token: String
  /// Nil where the server knows nothing of the scope but its name.
  package let sentence: String?
  /// Whether the person has not allowed it before although they allowed others.
  package let isNew: Bool

  package init(_ token: String, isNew: Bool = false) {
    self.token = token
    self.sentence = nil
    self.isNew = isNew
  }
}
