import SallyportLanguages
import SallyportLook
import SallyportProtocol

// The `…View` and `…Entry` structures contain the values for the templates, which refer to their properties by name.
extension Pages {
  private struct BrowserView {
    let id: String
    let name: String
    let address: String?
    let signedIn: DisplayTime
    let lastSeen: DisplayTime
    let isCurrent: Bool
    let isOnPublicDevice: Bool

    init(_ browser: AccountPage.Browser, _ texts: PageTexts) {
      self.id = browser.id
      self.name = DisplayText.clean(browser.name.words(texts)) ?? texts[.unknownBrowser]
      self.address = browser.address.flatMap { DisplayText.clean($0) }
      self.signedIn = DisplayTime(browser.signedInAt, texts)
      self.lastSeen = DisplayTime(browser.lastSeenAt, texts)
      self.isCurrent = browser.isCurrent
      self.isOnPublicDevice = browser.isOnPublicDevice
    }
  }

  private struct PasskeysView {
    struct Entry {
      let id: String
      let name: String
      /// The initial value of the field for the name.
      let newName: String
      /// Whether the user has entered a new name.
      let isEdited: Bool
      let isBackedUp: Bool
      let created: DisplayTime
      let lastUsed: DisplayTime?
    }

    let entries: [Entry]

    init(_ passkeys: AccountPage.Passkeys, _ texts: PageTexts) {
      self.entries = passkeys.entries.map { entry in
        let name = DisplayText.clean(entry.name) ?? texts[.unnamedPasskey]
        return Entry(
          id: entry.id, name: name, newName: entry.newName.map { DisplayText.fieldValue($0) } ?? name,
          isEdited: entry.newName != nil, isBackedUp: entry.isBackedUp, created: DisplayTime(entry.createdAt, texts),
          lastUsed: entry.lastUsedAt.map { DisplayTime($0, texts) })
      }
    }
  }

  private struct AuthenticatorAppEntry {
    let created: DisplayTime
    let lastUsed: DisplayTime?
  }

  private struct RecoveryCodesEntry {
    /// Identifies the codes that new codes would replace.
    let identifier: String
    /// A sentence with the number of unused codes.
    let left: String
    let hasUnused: Bool
  }

  private struct AppView {
    let id: String
    let name: String
    let isVerified: Bool
    let documentHost: String?
    let scopes: [ScopeLine.View]
    let resources: [String]
    let hasResources: Bool
    let since: DisplayTime?
    let lastUsed: DisplayTime?
    let hasPendingDevice: Bool

    init(_ app: AccountPage.App, _ pages: Pages) {
      let texts = pages.texts
      self.id = app.id
      self.name = pages.appName(app.name)
      self.isVerified = app.isVerified
      self.documentHost = app.documentHost
      self.scopes = app.scopes.map { $0.view(texts) }
      self.resources = app.resources
      self.hasResources = !app.resources.isEmpty
      self.since = app.since.map { DisplayTime($0, texts) }
      self.lastUsed = app.lastUsedAt.map { DisplayTime($0, texts) }
      self.hasPendingDevice = app.hasPendingDevice
    }
  }

  private struct ActivityView {
    let time: DisplayTime
    let sentence: String
    let address: String?
  }

  private struct LanguageEntry {
    let tag: String
    let name: String
    let isChosen: Bool
  }

  private struct AccountView {
    let site: Site
    let username: String
    let name: String
    let languages: [LanguageEntry]
    let email: String?
    let newEmail: String
    let isEmailVerified: Bool
    let canVerifyEmail: Bool
    let canChangeEmail: Bool
    let passwordChanged: DisplayTime?
    /// The authenticator app of the account.
    let app: AuthenticatorAppEntry?
    let codes: RecoveryCodesEntry?
    let passkeys: PasskeysView?
    let passkey: PasskeyPrompt.View?
    let providers: ProvidersView?
    let browsers: [BrowserView]
    let hasOtherBrowsers: Bool
    /// The clients to which the user has given access.
    let apps: [AppView]
    let activity: [ActivityView]
    /// Such as "The last 90 days".
    let activityPeriod: String
    /// Says that there was no activity in this period.
    let noActivity: String
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
    let texts = self.texts
    return self.render(
      .account,
      AccountView(
        site: self.site, username: DisplayText.username(page.username), name: DisplayText.fieldValue(page.name),
        languages: PageCatalogs.languages.map { LanguageEntry(tag: $0.tag, name: $0.name, isChosen: $0 == page.language) },
        email: page.email.flatMap { DisplayText.clean($0, limit: 254) },
        newEmail: DisplayText.fieldValue(page.newEmail), isEmailVerified: page.isEmailVerified,
        canVerifyEmail: page.email != nil && !page.isEmailVerified, canChangeEmail: page.canChangeEmail,
        passwordChanged: page.passwordChangedAt.map { DisplayTime($0, texts) },
        app: page.twoStep.authenticatorAddedAt.map { time in
          AuthenticatorAppEntry(
            created: DisplayTime(time, texts), lastUsed: page.twoStep.authenticatorLastUsedAt.map { DisplayTime($0, texts) })
        },
        codes: page.twoStep.canCreateCodes
          ? RecoveryCodesEntry(
            identifier: page.twoStep.codesIdentifier,
            left: texts(.recoveryCodesLeft, ["count": .number(page.twoStep.recoveryCodes)]),
            hasUnused: page.twoStep.recoveryCodes > 0) : nil,
        passkeys: page.passkeys.map { PasskeysView($0, texts) }, passkey: page.passkeys?.prompt?.view(texts),
        providers: ProvidersView(page.providers, texts), browsers: page.browsers.map { BrowserView($0, texts) },
        hasOtherBrowsers: page.browsers.contains { !$0.isCurrent },
        apps: page.apps.map { AppView($0, self) },
        activity: page.activity.map {
          ActivityView(
            time: DisplayTime($0.at, texts), sentence: $0.sentence(self), address: $0.address.flatMap { DisplayText.clean($0) })
        },
        activityPeriod: texts(.activityPeriod, ["count": .number(page.activityDays)]),
        noActivity: texts(.noActivity, ["count": .number(page.activityDays)]),
        failure: page.status.flatMap { $0.isFailure ? texts[$0.text] : nil },
        success: page.status.flatMap { $0.isFailure ? nil : self.sentence(for: $0, on: page) }, canDelete: page.canDelete,
        path: page.path, csrfToken: page.csrfToken, signOutAction: page.signOutAction, signOutCSRFToken: page.signOutCSRFToken))
  }

  /// Returns the sentence that the page shows after a change.
  ///
  /// Users may change their password because someone else knows it. They must then also check their passkeys, because a
  /// new password does not remove passkeys.
  private func sentence(for status: AccountStatus, on page: AccountPage) -> String {
    let sentence = self.texts[status.text]
    guard status == .passwordChanged, let passkeys = page.passkeys, !passkeys.entries.isEmpty else { return sentence }
    return self.texts(.twoSentences, ["first": .text(sentence), "second": .text(self.texts[.statusCheckPasskeys])])
  }

  package func accountDeletion(_ page: AccountDeletionPage) -> String {
    self.render(
      .accountDeletion,
      AccountDeletionView(
        site: self.site, username: DisplayText.username(page.username), isNameWrong: page.isNameWrong,
        action: page.action, csrfToken: page.csrfToken, cancelAction: page.cancelAction))
  }
}
