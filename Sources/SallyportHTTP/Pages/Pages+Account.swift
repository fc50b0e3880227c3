import SallyportLook
import SallyportProtocol

extension Pages {
  private struct BrowserView {
    let id: String
    let name: String
    let address: String?
    let signedIn: DisplayTime
    let lastSeen: DisplayTime
    let isCurrent: Bool
    let isOnPublicDevice: Bool

    init(_ browser: AccountPage.Browser) {
      self.id = browser.id
      self.name = DisplayText.clean(browser.name) ?? "An unknown browser"
      self.address = browser.address.flatMap { DisplayText.clean($0) }
      self.signedIn = DisplayTime(browser.signedInAt)
      self.lastSeen = DisplayTime(browser.lastSeenAt)
      self.isCurrent = browser.isCurrent
      self.isOnPublicDevice = browser.isOnPublicDevice
    }
  }

  private struct PasskeysView {
    struct Entry {
      let id: String
      let name: String
      let isBackedUp: Bool
      let created: DisplayTime
      let lastUsed: DisplayTime?
    }

    let entries: [Entry]

    init(_ passkeys: AccountPage.Passkeys) {
      self.entries = passkeys.entries.map { entry in
        Entry(
          id: entry.id, name: DisplayText.clean(entry.name) ?? "Passkey", isBackedUp: entry.isBackedUp,
          created: DisplayTime(entry.createdAt), lastUsed: entry.lastUsedAt.map { DisplayTime($0) })
      }
    }
  }

  private struct AuthenticatorAppEntry {
    let created: DisplayTime
    let lastUsed: DisplayTime?
  }

  private struct RecoveryCodesEntry {
    let left: String

    init(_ count: Int) {
      self.left =
        switch count {
        case 0: "You have no unused recovery codes."
        case 1: "You have 1 unused recovery code."
        default: "You have \(count) unused recovery codes."
        }
    }
  }

  private struct AppView {
    let id: String
    let name: String
    let isVerified: Bool
    let documentHost: String?
    let scopes: [ScopeLine]
    let resources: [String]
    let hasResources: Bool
    let since: DisplayTime?
    let lastUsed: DisplayTime?
    let waitsForDevice: Bool

    init(_ app: AccountPage.App) {
      self.id = app.id
      self.name = DisplayText.appName(app.name)
      self.isVerified = app.isVerified
      self.documentHost = app.documentHost
      self.scopes = app.scopes
      self.resources = app.resources
      self.hasResources = !app.resources.isEmpty
      self.since = app.since.map { DisplayTime($0) }
      self.lastUsed = app.lastUsedAt.map { DisplayTime($0) }
      self.waitsForDevice = app.waitsForDevice
    }
  }

  private struct ActivityView {
    let time: DisplayTime
    let sentence: String
    let address: String?
  }

  private struct AccountView {
    let site: Site
    let username: String
    let name: String
    let email: String?
    let isEmailVerified: Bool
    let canVerifyEmail: Bool
    let canChangeEmail: Bool
    let passwordChanged: DisplayTime
    let app: AuthenticatorAppEntry?
    let codes: RecoveryCodesEntry?
    let passkeys: PasskeysView?
    let passkey: PasskeyPrompt.View?
    let browsers: [BrowserView]
    let hasOtherBrowsers: Bool
    let apps: [AppView]
    let activity: [ActivityView]
    let failure: String?
    let success: String?
    let canDelete: Bool
    let path: String
    let csrfToken: String
    let signOutAction: String
    let signOutCSRFToken: String
  }

  private struct AccountDeletionView {
    let site: Site
    let username: String
    let isNameWrong: Bool
    let action: String
    let csrfToken: String
    let cancelAction: String
  }

  package func account(_ page: AccountPage) -> String {
    self.render(
      .account,
      AccountView(
        site: self.site, username: DisplayText.clean(page.username) ?? page.username, name: DisplayText.fieldValue(page.name),
        email: page.email.flatMap { DisplayText.clean($0, limit: 254) }, isEmailVerified: page.isEmailVerified,
        canVerifyEmail: page.email != nil && !page.isEmailVerified, canChangeEmail: page.canChangeEmail,
        passwordChanged: DisplayTime(page.passwordChangedAt),
        app: page.twoStep.appAddedAt.map { time in
          AuthenticatorAppEntry(created: DisplayTime(time), lastUsed: page.twoStep.appLastUsedAt.map { DisplayTime($0) })
        },
        codes: page.twoStep.canCreateCodes ? RecoveryCodesEntry(page.twoStep.recoveryCodes) : nil,
        passkeys: page.passkeys.map { PasskeysView($0) }, passkey: page.passkeys?.prompt?.view,
        browsers: page.browsers.map { BrowserView($0) }, hasOtherBrowsers: page.browsers.contains { !$0.isCurrent },
        apps: page.apps.map { AppView($0) },
        activity: page.activity.map {
          ActivityView(time: DisplayTime($0.at), sentence: $0.sentence, address: $0.address.flatMap { DisplayText.clean($0) })
        },
        failure: page.status.flatMap { $0.isFailure ? $0.sentence : nil },
        success: page.status.flatMap { $0.isFailure ? nil : Self.sentence(for: $0, on: page) }, canDelete: page.canDelete,
        path: page.path, csrfToken: page.csrfToken, signOutAction: page.signOutAction, signOutCSRFToken: page.signOutCSRFToken))
  }

  /// Returns what the page says after a change.
  ///
  /// A user who changes the password because someone else knows it must also check the passkeys, which a new password does
  /// not remove.
  private static func sentence(for status: AccountStatus, on page: AccountPage) -> String {
    guard status == .passwordChanged, let passkeys = page.passkeys, !passkeys.entries.isEmpty else { return status.sentence }
    return status.sentence + " Your passkeys still work. Remove any passkey that is not yours."
  }

  package func accountDeletion(_ page: AccountDeletionPage) -> String {
    self.render(
      .accountDeletion,
      AccountDeletionView(
        site: self.site, username: DisplayText.clean(page.username, limit: 128) ?? page.username, isNameWrong: page.isNameWrong,
        action: page.action, csrfToken: page.csrfToken, cancelAction: page.cancelAction))
  }
}
