import SallyportLook

/// The page on which a user chooses one of the accounts of this browser.
///
/// Each account has a button with the name `choose` and one with the name `remove`. The value of both is the user name.
/// The form has the hidden field `csrf`.
package struct AccountChooserPage: Sendable {
  /// An account that was used in this browser.
  package struct Entry: Sendable, Equatable {
    package var username: String
    /// The user's full name; nil if it is not known.
    package var name: String?
    package var isSignedIn: Bool

    package init(username: String, name: String? = nil, isSignedIn: Bool) {
      self.username = username
      self.name = name
      self.isSignedIn = isSignedIn
    }
  }

  /// The app that the user comes from; nil on the account page.
  package var appName: String?
  /// Whether an operator registered the app. The page marks other apps as unverified (rule S-26).
  package var isVerified: Bool
  package var entries: [Entry]
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// The address of the page for signing in with another account.
  package var otherAccountAction: String
  /// Whether the page has a button, with the name `sign-out`, that signs out all accounts.
  package var signsOutAll: Bool
  /// The address of the link to the account page; nil for no link.
  package var accountAction: String?

  package init(
    appName: String? = nil, isVerified: Bool = true, entries: [Entry], action: String, csrfToken: String,
    otherAccountAction: String, signsOutAll: Bool = false, accountAction: String? = nil
  ) {
    self.appName = appName
    self.isVerified = isVerified
    self.entries = entries
    self.action = action
    self.csrfToken = csrfToken
    self.otherAccountAction = otherAccountAction
    self.signsOutAll = signsOutAll
    self.accountAction = accountAction
  }
}

extension Pages {
  private struct AccountChooserView {
    struct Entry {
      /// The value of the buttons: the unchanged user name. ``username`` is cleaned for display.
      let value: String
      let username: String
      let name: String?
      let isSignedIn: Bool
      /// Whether the page shows the user's full name, or that the user is signed out, above the buttons.
      let hasDetails: Bool
    }

    let site: Site
    let appName: String?
    let isVerified: Bool
    let entries: [Entry]
    let action: String
    let csrfToken: String
    let otherAccountAction: String
    let signsOutAll: Bool
    let accountAction: String?
  }

  package func accountChooser(_ page: AccountChooserPage) -> String {
    self.render(
      .accountChooser,
      AccountChooserView(
        site: self.site, appName: page.appName.map(self.appName), isVerified: page.isVerified,
        entries: page.entries.map { entry in
          let name = entry.name.flatMap { DisplayText.clean($0) }
          return AccountChooserView.Entry(
            value: entry.username, username: DisplayText.username(entry.username),
            name: name, isSignedIn: entry.isSignedIn, hasDetails: name != nil || !entry.isSignedIn)
        },
        action: page.action, csrfToken: page.csrfToken, otherAccountAction: page.otherAccountAction,
        signsOutAll: page.signsOutAll, accountAction: page.accountAction))
  }
}
