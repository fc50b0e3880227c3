import SallyportProtocol
import SallyportServer

/// Pages with sample values, which together show every HTML form of the built-in templates.
///
/// ``BrandOverrides/validate()`` renders these pages with the built-in and with an operator's templates, and rejects
/// the operator's templates if their pages lack a form or another part that the page needs to work.
///
/// Most sample values are the Mustache tags that the template contains in their place, so that a message about a
/// missing part quotes the template. Most pages exist with as much content as possible, and with as little as possible.
struct TemplateSamples {
  let pages: Pages

  /// - Returns: An empty list for a template that only other templates include.
  func html(of template: PageTemplate) -> [String] {
    switch template {
    case .layout, .scopes, .resources, .passkey, .appFacts: []
    case .signIn: self.signIns.map { self.pages.signIn($0) }
    case .changePassword: self.passwordChanges.map { self.pages.changePassword($0) }
    case .consent: self.consents.map { self.pages.consent($0) }
    case .error: [self.pages.error(Self.error)]
    case .home: [HomePage(), self.home].map { self.pages.home($0) }
    case .signedOut: self.signedOut.map { self.pages.signedOut($0) }
    case .signOut: self.signOuts.map { self.pages.signOut($0) }
    case .device: self.devices.map { self.pages.device($0) }
    case .account: self.accounts.map { self.pages.account($0) }
    case .accountChooser: self.choosers.map { self.pages.accountChooser($0) }
    case .accountDeletion: self.deletions.map { self.pages.accountDeletion($0) }
    case .secondFactor: self.secondFactors.map { self.pages.secondFactor($0) }
    case .authenticatorApp: self.authenticatorApps.map { self.pages.authenticatorApp($0) }
    case .recoveryCodes: [self.pages.recoveryCodes(Self.recoveryCodes)]
    case .accountLink: self.links.map { self.pages.accountLink($0) }
    case .forgotPassword: self.forgotPasswords.map { self.pages.forgotPassword($0) }
    case .signUp: self.signUps.map { self.pages.signUp($0) }
    case .newAccount: self.newAccounts.map { self.pages.newAccount($0) }
    case .formPost: [self.pages.formPost(to: "{{action}}", appName: "{{appName}}", [("{{name}}", "{{value}}")])]
    case .webView: self.webViews.map { self.pages.webView($0) }
    }
  }

  // MARK: Sign-in

  private var signIns: [SignInPage] {
    let purposes: [SignInPage.Purpose] = [.app, .account, .device, .confirmation(.init(isRecent: true, acceptsPasskey: true))]
    let full = purposes.map { purpose in
      SignInPage(
        appName: "{{appName}}", isVerified: false, username: "{{username}}", failure: .wrongCredentials, isOnPublicDevice: true,
        action: "{{action}}", csrfToken: "{{csrfToken}}", passkey: Self.passkey(.signIn), forgotAction: "{{forgotAction}}",
        signUpAction: "{{signUpAction}}", documentHost: "{{documentHost}}", facts: Self.facts,
        upstreams: [UpstreamChoice(id: "{{id}}", name: "{{name}}")], purpose: purpose)
    }
    return full + purposes.map { SignInPage(action: "{{action}}", csrfToken: "{{csrfToken}}", purpose: $0) }
  }

  static func passkey(_ kind: PasskeyPrompt.Kind) -> PasskeyPrompt {
    PasskeyPrompt(
      kind, form: PasskeyForm(options: "{{options}}", challenge: Secret("{{challenge}}")),
      action: kind == .signIn ? "{{action}}/passkey" : "{{path}}/passkeys", csrfToken: "{{csrfToken}}")
  }

  private static var facts: AppFacts {
    AppFacts(
      links: [AppFacts.Link(.terms, address: "https://app.example/", host: "app.example")], contacts: ["{{contacts}}"])
  }

  private var passwordChanges: [ChangePasswordPage] {
    [
      ChangePasswordPage(
        username: "{{username}}", failure: .entriesDiffer, minimumLength: 15, action: "{{action}}", csrfToken: "{{csrfToken}}",
        proof: "{{proof}}", isOnPublicDevice: true, cancelAction: "{{cancelAction}}"),
      ChangePasswordPage(
        username: "{{username}}", minimumLength: 15, action: "{{action}}", csrfToken: "{{csrfToken}}", proof: nil),
    ]
  }

  private var secondFactors: [SecondFactorPage] {
    [(true, true), (true, false), (false, true)].map { acceptsApp, acceptsRecoveryCode in
      SecondFactorPage(
        username: "{{username}}", acceptsApp: acceptsApp, acceptsRecoveryCode: acceptsRecoveryCode,
        failure: acceptsApp ? nil : .wrongCode, action: "{{action}}", csrfToken: "{{csrfToken}}", state: "{{state}}",
        isOnPublicDevice: acceptsApp, startOverAction: "{{startOverAction}}")
    }
  }

  // MARK: Apps and devices

  private var consents: [ConsentPage] {
    let full = ConsentPage(
      appName: "{{appName}}", isVerified: false, username: "{{username}}", destination: .thisComputer(port: 1),
      scopes: [ScopeLine("{{token}}", isNew: true)], resources: ["{{resource}}"], reason: .loopback, action: "{{action}}",
      csrfToken: "{{csrfToken}}", switchAccountAction: "{{switchAccountAction}}", documentHost: "{{documentHost}}",
      facts: Self.facts)
    let minimal = ConsentPage(
      appName: "{{appName}}", isVerified: true, username: "{{username}}", destination: .website(host: "{{host}}"), scopes: [],
      action: "{{action}}", csrfToken: "{{csrfToken}}", switchAccountAction: "{{switchAccountAction}}")
    var firstParty = minimal
    firstParty.isFirstParty = true
    return [full, minimal, firstParty]
  }

  private var devices: [DevicePage] {
    let failures: [DevicePage.Failure?] = [nil, .unknown]
    return failures.map {
      DevicePage(userCode: "{{userCode}}", failure: $0, action: "{{action}}", csrfToken: "{{csrfToken}}")
    } + [DevicePage(decision: .allowed, appName: "{{appName}}"), DevicePage(decision: .denied, appName: "{{appName}}")]
  }

  private var webViews: [WebViewPage] {
    [
      WebViewPage(appName: "{{appName}}", address: "https://{{address}}", isAndroid: true),
      WebViewPage(address: "https://{{address}}"),
    ]
  }

  private static var error: ErrorPage {
    ErrorPage(title: "{{title}}", explanation: "{{explanation}}", advice: "{{advice}}", requestID: "{{requestID}}", status: 400)
  }

  // MARK: Sign-out

  private var home: HomePage {
    HomePage(username: "{{username}}", signOutAction: "{{signOutAction}}", csrfToken: "{{csrfToken}}")
  }

  private var signedOut: [SignedOutPage] {
    let provider = SignedOutPage.Provider(name: "{{providerName}}", url: "{{providerURL}}")
    return [
      SignedOutPage(), SignedOutPage(username: "{{username}}", provider: provider), SignedOutPage(isAccountDeleted: true),
    ]
  }

  private var signOuts: [SignOutPage] {
    [nil, SignOutPage.Mismatch.user, .session].map { mismatch in
      SignOutPage(
        username: "{{username}}", appName: mismatch == nil ? nil : "{{appName}}", mismatch: mismatch, action: "{{action}}",
        csrfToken: "{{csrfToken}}", hasOtherAccounts: mismatch != .session, stayAction: mismatch.map { _ in "{{stayAction}}" })
    }
  }
}
