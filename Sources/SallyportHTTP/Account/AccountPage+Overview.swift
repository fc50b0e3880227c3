import SallyportProtocol
import SallyportServer

extension AccountPage {
  /// Creates the page from what the store contains.
  init(
    _ overview: AccountOverview, path: String, csrfToken: String, signOutAction: String, signOutCSRFToken: String
  ) {
    let account = overview.session.account
    self.init(
      username: account.username.value, name: account.name ?? "", email: account.email,
      passwordChangedAt: account.hasPassword ? account.passwordChangedAt : nil,
      browsers: overview.browsers.map { browser in
        Browser(
          id: browser.id, name: BrowserName(userAgent: browser.userAgent), address: browser.address,
          signedInAt: browser.authenticatedAt, lastSeenAt: browser.lastSeenAt,
          isCurrent: browser.fingerprint == overview.session.record.fingerprint,
          isOnPublicDevice: browser.isOnPublicDevice)
      },
      apps: overview.apps.map { access in
        App(
          id: access.client.id.rawValue, name: access.client.name, isVerified: access.client.origin == .operator,
          documentHost: access.client.documentHost, scopes: ScopeLine.lines(access.scope), resources: access.resources,
          since: access.since, lastUsedAt: access.lastUsedAt, hasPendingDevice: !access.devices.isEmpty)
      },
      activity: overview.activity.compactMap { activity in
        activity.text.map { text in
          Activity(at: activity.record.at, text, app: activity.client?.name, address: activity.record.origin.address)
        }
      },
      path: path, csrfToken: csrfToken, signOutAction: signOutAction, signOutCSRFToken: signOutCSRFToken)
    self.twoStep = TwoStep(
      authenticatorAddedAt: overview.totp?.createdAt, authenticatorLastUsedAt: overview.totp?.lastUsedAt,
      recoveryCodes: overview.factors.recoveryCodes,
      codesIdentifier: RecoveryCodeRecord.identifier(ofSet: overview.recoveryCodes), canCreateCodes: overview.factors.hasAny)
    self.language = account.chosenLanguage
    self.isEmailVerified = account.emailVerifiedAt != nil
  }
}

extension AccountPage.Passkeys {
  init(_ passkeys: [PasskeyRecord]) {
    self.init(
      entries: passkeys.map { passkey in
        Entry(
          id: Base64URL.encode(passkey.id), name: passkey.name, isBackedUp: passkey.isBackedUp, createdAt: passkey.createdAt,
          lastUsedAt: passkey.lastUsedAt)
      })
  }
}
