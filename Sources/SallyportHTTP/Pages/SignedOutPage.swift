/// The page for a user who has signed out, was not signed in, or has deleted the account.
package struct SignedOutPage: Sendable {
  /// The user whose session has ended; nil if no user was signed in, several accounts were signed out, or the account
  /// was deleted.
  package var username: String?
  /// Whether several accounts were signed out.
  package var hadSeveralAccounts: Bool
  /// Whether the user has deleted the account.
  package var isAccountDeleted: Bool
  /// The upstream (another OpenID provider) from which the user can also sign out; nil if there is none.
  package var provider: Provider?

  package struct Provider: Sendable {
    package let name: String
    /// The logout request to which the page links.
    package let url: String

    package init(name: String, url: String) {
      self.name = name
      self.url = url
    }
  }

  package init(
    username: String? = nil, hadSeveralAccounts: Bool = false, isAccountDeleted: Bool = false, provider: Provider? = nil
  ) {
    self.username = username
    self.hadSeveralAccounts = hadSeveralAccounts
    self.isAccountDeleted = isAccountDeleted
    self.provider = provider
  }
}
