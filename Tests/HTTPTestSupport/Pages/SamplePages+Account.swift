package import SallyportHTTP
import SallyportProtocol
import SallyportServer

extension SamplePages {
  /// The account page in several variants, and the page for deleting the account.
  package var accounts: [(name: String, html: String)] {
    var empty = self.account
    (empty.name, empty.email, empty.apps, empty.activity) = ("", nil, [], [])
    empty.passwordChangedAt = nil
    empty.browsers.removeLast()
    let statuses: [AccountStatus?] = [nil] + AccountStatus.allCases
    var twoStep = self.account
    twoStep.twoStep = AccountPage.TwoStep(
      authenticatorAddedAt: twoStep.passwordChangedAt, authenticatorLastUsedAt: twoStep.passwordChangedAt,
      recoveryCodes: 1, canCreateCodes: true)
    var providers = self.account
    let choices = [UpstreamChoice(id: "corp", name: self.untrusted)]
    let connectedAt = Timestamp(seconds: 1_795_442_700)
    let entries = [nil, connectedAt].map { lastUsedAt in
      AccountPage.Providers.Entry(
        issuer: self.untrusted, subject: self.untrusted, name: self.untrusted, label: lastUsedAt.map { _ in self.untrusted },
        connectedAt: connectedAt, lastUsedAt: lastUsedAt)
    }
    providers.providers = AccountPage.Providers(entries: entries, choices: choices)
    return [
      ("account, providers", self.pages.account(providers)), ("account, empty", self.pages.account(empty)),
      ("account, two-step", self.pages.account(twoStep)), ("account, passkeys", self.pages.account(self.account(nil))),
    ]
      + statuses.map { status in
        var page = self.account
        page.status = status
        return ("account, \(status.map { "\($0)" } ?? "no status")", self.pages.account(page))
      }
      + [false, true].map { isNameWrong in
        let page = AccountDeletionPage(
          username: self.untrusted, isNameWrong: isNameWrong, action: "/account/delete", csrfToken: self.untrusted,
          cancelAction: "/account")
        return ("delete the account, \(isNameWrong ? "wrong name" : "first")", self.pages.accountDeletion(page))
      }
  }

  /// The page for choosing an account: for an app, and on the account page.
  package var choosers: [(name: String, html: String)] {
    let entries = [
      AccountChooserPage.Entry(username: self.untrusted, name: self.untrusted, isSignedIn: true),
      AccountChooserPage.Entry(username: self.untrusted, isSignedIn: false),
    ]
    let onAccountPage = AccountChooserPage(
      entries: entries, action: "/account/accounts", csrfToken: self.untrusted, otherAccountAction: "/account/sign-in",
      signsOutAll: true, accountAction: "/account")
    var forApp = onAccountPage
    (forApp.appName, forApp.isVerified, forApp.signsOutAll, forApp.accountAction) = (self.untrusted, false, false, nil)
    return [
      ("choose an account", self.pages.accountChooser(onAccountPage)),
      ("choose an account for an app", self.pages.accountChooser(forApp)),
    ]
  }

  package var account: AccountPage {
    let time = Timestamp(seconds: 1_795_442_700)
    let browsers = [true, false].map { isCurrent in
      AccountPage.Browser(
        id: self.untrusted, name: BrowserName(userAgent: isCurrent ? "Firefox/1 Linux" : nil), address: self.untrusted,
        signedInAt: time, lastSeenAt: time,
        isCurrent: isCurrent, isOnPublicDevice: !isCurrent)
    }
    let apps = [true, false].map { isVerified in
      AccountPage.App(
        id: self.untrusted, name: self.untrusted, isVerified: isVerified, documentHost: isVerified ? nil : self.untrusted,
        scopes: ["openid", "email"].map { ScopeLine($0) } + [ScopeLine(self.untrusted)], resources: [self.untrusted], since: time,
        lastUsedAt: isVerified ? time : nil)
    }
    let activity = [AccountPage.Activity(at: time, .activityGrant, app: self.untrusted, address: self.untrusted)]
    return AccountPage(
      username: self.untrusted, name: self.untrusted, email: self.untrusted, passwordChangedAt: time, browsers: browsers,
      apps: apps, activity: activity, canDelete: true, path: "/account", csrfToken: self.untrusted, signOutAction: "/sign-out",
      signOutCSRFToken: self.untrusted)
  }
}
