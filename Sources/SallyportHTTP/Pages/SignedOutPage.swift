/// The page after the browser's session has ended.
package struct SignedOutPage: Sendable {
  /// The account that was signed in, where it is known.
  package var username: String?

  package init(username: String? = nil) {
    self.username = username
  }
}
