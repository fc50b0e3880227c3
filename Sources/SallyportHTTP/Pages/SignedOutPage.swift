/// The page for a user who has signed out, or was not signed in.
package struct SignedOutPage: Sendable {
  /// The user whose session has ended; nil if no user was signed in.
  package var username: String?

  package init(username: String? = nil) {
    self.username = username
  }
}
