/// The page for a user who has signed out, was not signed in, or has deleted the account.
package struct SignedOutPage: Sendable {
  /// The user whose session has ended; nil if no user was signed in.
  package var username: String?
  /// Whether the user has deleted the account.
  package var isAccountDeleted: Bool

  package init(username: String? = nil, isAccountDeleted: Bool = false) {
    self.username = username
    self.isAccountDeleted = isAccountDeleted
  }
}
