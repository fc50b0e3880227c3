/// The page on which users delete their own accounts.
///
/// Its form has the field `username`, in which the user types the user name, and the hidden field `csrf`.
package struct AccountDeletionPage: Sendable {
  package var username: String
  /// Whether the user entered a different name.
  package var isNameWrong: Bool
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// The path of the account page.
  package var cancelAction: String

  package init(username: String, isNameWrong: Bool = false, action: String, csrfToken: String, cancelAction: String) {
    self.username = username
    self.isNameWrong = isNameWrong
    self.action = action
    self.csrfToken = csrfToken
    self.cancelAction = cancelAction
  }
}
