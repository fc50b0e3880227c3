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

    init(_ browser: AccountPage.Browser) {
      self.id = browser.id
      self.name = DisplayText.clean(browser.name) ?? "An unknown browser"
      self.address = browser.address.flatMap { DisplayText.clean($0) }
      self.signedIn = DisplayTime(browser.signedInAt)
      self.lastSeen = DisplayTime(browser.lastSeenAt)
      self.isCurrent = browser.isCurrent
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
        passkeys: page.passkeys.map { PasskeysView($0) }, passkey: page.passkeys?.prompt?.view,
        browsers: page.browsers.map { BrowserView($0) }, hasOtherBrowsers: page.browsers.contains { !$0.isCurrent },
        apps: page.apps.map { AppView($0) },
        activity: page.activity.map {
          ActivityView(time: DisplayTime($0.at), sentence: $0.sentence, address: $0.address.flatMap { DisplayText.clean($0) })
        },
        failure: page.status.flatMap { $0.isFailure ? $0.sentence : nil },
        success: page.status.flatMap { $0.isFailure ? nil : $0.sentence }, canDelete: page.canDelete, path: page.path,
        csrfToken: page.csrfToken, signOutAction: page.signOutAction, signOutCSRFToken: page.signOutCSRFToken))
  }

  package func accountDeletion(_ page: AccountDeletionPage) -> String {
    self.render(
      .accountDeletion,
      AccountDeletionView(
        site: self.site, username: DisplayText.clean(page.username, limit: 128) ?? page.username, isNameWrong: page.isNameWrong,
        action: page.action, csrfToken: page.csrfToken, cancelAction: page.cancelAction))
  }
}
