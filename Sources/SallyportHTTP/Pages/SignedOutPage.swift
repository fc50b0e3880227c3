/// The page after the browser's session has ended.
package struct SignedOutPage: Sendable {
  /// The user who was signed in; nil if unknown.
  package var username: String?

  package init(username: String? = nil) {
    self.username = username
  }
}
