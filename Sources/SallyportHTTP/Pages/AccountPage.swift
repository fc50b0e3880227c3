package import SallyportLanguages
package import SallyportProtocol
package import SallyportServer

/// The account page: the user's profile, ways to sign in, signed-in browsers, apps with access, and security activity.
///
/// All forms have the hidden field `csrf`. Except in the sign-out form and in the form of ``PasskeyPrompt``, the
/// buttons have the name `action`, and the value of a button says what to do, for example `rename` or `revoke`.
package struct AccountPage: Sendable {
  /// A browser in which the user is signed in.
  package struct Browser: Sendable {
    /// The identifier of the session.
    package var id: String
    package var name: BrowserName
    /// The address from which the user signed in.
    package var address: String?
    package var signedInAt: Timestamp
    package var lastSeenAt: Timestamp
    /// Whether the user opened this page with this browser.
    package var isCurrent: Bool
    /// Whether the user said that the device belongs to someone else.
    package var isOnPublicDevice: Bool

    package init(
      id: String, name: BrowserName, address: String? = nil, signedInAt: Timestamp, lastSeenAt: Timestamp,
      isCurrent: Bool = false, isOnPublicDevice: Bool = false
    ) {
      self.id = id
      self.name = name
      self.address = address
      self.signedInAt = signedInAt
      self.lastSeenAt = lastSeenAt
      self.isCurrent = isCurrent
      self.isOnPublicDevice = isOnPublicDevice
    }
  }

  /// The user's passkeys.
  package struct Passkeys: Sendable {
    package struct Entry: Sendable {
      /// The credential ID in base64url.
      package var id: String
      package var name: String
      /// The name that the user entered before having to sign in again; nil if there is none.
      package var newName: String?
      /// Whether the passkey is synchronized with other devices of the user.
      package var isBackedUp: Bool
      package var createdAt: Timestamp
      package var lastUsedAt: Timestamp?

      package init(id: String, name: String, isBackedUp: Bool = false, createdAt: Timestamp, lastUsedAt: Timestamp? = nil) {
        self.id = id
        self.name = name
        self.isBackedUp = isBackedUp
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
      }
    }

    package var entries: [Entry]
    /// The button that creates a passkey; nil if the user must sign in again first.
    package var prompt: PasskeyPrompt?

    package init(entries: [Entry], prompt: PasskeyPrompt? = nil) {
      self.entries = entries
      self.prompt = prompt
    }
  }

  /// The user's authenticator app and recovery codes.
  package struct TwoStep: Sendable {
    /// When the user added the authenticator app; nil if there is none.
    package var authenticatorAddedAt: Timestamp?
    package var authenticatorLastUsedAt: Timestamp?
    /// The number of recovery codes that have not been used.
    package var recoveryCodes: Int
    /// Identifies the codes that new codes would replace; see `RecoveryCodeRecord.identifier(ofSet:)`.
    package var codesIdentifier: String
    /// Whether the user can create new recovery codes. The account must have a factor besides the password.
    package var canCreateCodes: Bool

    package init(
      authenticatorAddedAt: Timestamp? = nil, authenticatorLastUsedAt: Timestamp? = nil, recoveryCodes: Int = 0,
      codesIdentifier: String = "", canCreateCodes: Bool = false
    ) {
      self.authenticatorAddedAt = authenticatorAddedAt
      self.authenticatorLastUsedAt = authenticatorLastUsedAt
      self.recoveryCodes = recoveryCodes
      self.codesIdentifier = codesIdentifier
      self.canCreateCodes = canCreateCodes
    }
  }

  /// An app with access to the account.
  package struct App: Sendable {
    /// The client ID.
    package var id: String
    package var name: String
    /// Whether an operator registered the app. The page marks other apps as unverified (rule S-26).
    package var isVerified: Bool
    /// The host of the client metadata document; nil if the app is not identified by one.
    package var documentHost: String?
    package var scopes: [ScopeLine]
    package var resources: [String]
    /// When the user allowed the oldest access that is still valid.
    package var since: Timestamp?
    /// When the app last obtained tokens; nil if it has no valid ones.
    package var lastUsedAt: Timestamp?
    /// Whether the user has approved a device that has not obtained its tokens yet.
    package var hasPendingDevice: Bool

    package init(
      id: String, name: String, isVerified: Bool = true, documentHost: String? = nil, scopes: [ScopeLine] = [],
      resources: [String] = [], since: Timestamp? = nil, lastUsedAt: Timestamp? = nil, hasPendingDevice: Bool = false
    ) {
      self.id = id
      self.name = name
      self.isVerified = isVerified
      self.documentHost = documentHost
      self.scopes = scopes
      self.resources = resources
      self.since = since
      self.lastUsedAt = lastUsedAt
      self.hasPendingDevice = hasPendingDevice
    }
  }

  /// A line of the security activity.
  package struct Activity: Sendable {
    package var at: Timestamp
    /// What happened.
    package var text: PageText
    /// The name of the app that the text mentions; nil if the text mentions no app, or if the app was removed.
    package var app: String?
    /// The address from which the request came.
    package var address: String?

    package init(at: Timestamp, _ text: PageText, app: String? = nil, address: String? = nil) {
      self.at = at
      self.text = text
      self.app = app
      self.address = address
    }

    func sentence(_ pages: Pages) -> String {
      let name = self.app.map { pages.appName($0) } ?? pages.texts[.removedApp]
      // Without the isolates (U+2068, U+2069), a name whose letters run in the other direction, such as an Arabic name
      // in an English sentence, could change the order of the words.
      return pages.texts(self.text, ["app": "\u{2068}\(name)\u{2069}"])
    }
  }

  package var username: String
  package var name: String
  /// The language that the user has chosen; nil for the browser's language.
  package var language: Language?
  package var email: String?
  package var isEmailVerified = false
  /// The new email address that the user entered before having to sign in again; empty if there is none.
  package var newEmail = ""
  /// Whether the user can change and verify the email address, which is possible only if the server sends mail.
  package var canChangeEmail = false
  /// When the password was last set; nil if the user has no password.
  package var passwordChangedAt: Timestamp?
  package var twoStep = TwoStep()
  /// Nil if passkeys cannot be used.
  package var passkeys: Passkeys?
  package var providers = Providers(entries: [], choices: [])
  package var browsers: [Browser]
  package var apps: [App]
  package var activity: [Activity]
  /// The number of days for which the page shows activity.
  package var activityDays = 90
  /// The result of the form that the user has just submitted; nil if there is none.
  package var status: AccountStatus?
  package var canDelete: Bool
  /// The path of the page. All forms except the sign-out form are posted to paths that begin with this path.
  package var path: String
  package var csrfToken: String
  /// The address to which the sign-out form is posted.
  package var signOutAction: String
  /// The CSRF token of the sign-out form.
  package var signOutCSRFToken: String

  package init(
    username: String, name: String = "", email: String? = nil, passwordChangedAt: Timestamp?, browsers: [Browser] = [],
    apps: [App] = [], activity: [Activity] = [], status: AccountStatus? = nil, canDelete: Bool = false, path: String,
    csrfToken: String, signOutAction: String, signOutCSRFToken: String
  ) {
    self.username = username
    self.name = name
    self.email = email
    self.passwordChangedAt = passwordChangedAt
    self.browsers = browsers
    self.apps = apps
    self.activity = activity
    self.status = status
    self.canDelete = canDelete
    self.path = path
    self.csrfToken = csrfToken
    self.signOutAction = signOutAction
    self.signOutCSRFToken = signOutCSRFToken
  }
}
