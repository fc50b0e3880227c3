package import SallyportHTTP
package import SallyportLanguages
import SallyportProtocol
import SallyportServer

/// Sample pages. A field that can contain text of apps or users contains ``untrusted`` or is empty.
package struct SamplePages {
  package let pages: Pages
  /// The text that stands for every text of apps and users. A test can choose hostile or long text.
  package let untrusted: String

  package init(untrusted: String = "Notes", serverName: String = "Example Accounts", language: Language = .english) {
    self.init(pages: Pages(serverName: serverName, language: language), untrusted: untrusted)
  }

  package init(pages: Pages, untrusted: String) {
    self.pages = pages
    self.untrusted = untrusted
  }

  /// All pages in several variants. Each variant has a name for the test output.
  package var all: [(name: String, html: String)] { self.withoutScripts + self.scripted }

  private var withoutScripts: [(name: String, html: String)] {
    self.signIns + self.passwordChanges + self.consents + self.devices + self.signOuts + self.accounts + self.choosers
      + self.secondFactors + self.signUps + self.links + [
        ("error", self.pages.error(self.error)),
        ("signed out", self.pages.signedOut(SignedOutPage(username: self.untrusted))),
        (
          "signed out, provider",
          self.pages.signedOut(
            SignedOutPage(provider: .init(name: self.untrusted, url: "https://login.example/logout?client_id=a&logout_hint=b")))
        ),
        ("signed out, unknown", self.pages.signedOut(SignedOutPage())),
        ("signed out, several accounts", self.pages.signedOut(SignedOutPage(hadSeveralAccounts: true))),
        ("home", self.pages.home(HomePage(username: self.untrusted, signOutAction: "/signout", csrfToken: self.untrusted))),
        ("account deleted", self.pages.signedOut(SignedOutPage(isAccountDeleted: true))),
        ("home, nobody", self.pages.home(HomePage())),
        ("web view", self.pages.webView(self.webView(isAndroid: false))),
        ("web view on Android", self.pages.webView(self.webView(isAndroid: true))),
      ]
  }

  package func webView(isAndroid: Bool) -> WebViewPage {
    WebViewPage(appName: self.untrusted, address: "https://id.example/interaction?i=" + self.untrusted, isAndroid: isAndroid)
  }

  package var signOuts: [(name: String, html: String)] {
    let mismatches: [SignOutPage.Mismatch?] = [nil] + SignOutPage.Mismatch.allCases
    var own = SignOutPage(username: self.untrusted, action: "/signout", csrfToken: self.untrusted, hasOtherAccounts: true)
    own.stayAction = "/"
    return mismatches.map { mismatch in
      let page = SignOutPage(
        username: self.untrusted, appName: self.untrusted, mismatch: mismatch, action: "/signout?t=" + self.untrusted,
        csrfToken: self.untrusted,
        stayAction: "/?" + self.untrusted)
      return ("sign out, \(mismatch.map { "other \($0)" } ?? "this session")", self.pages.signOut(page))
    } + [("sign out, several accounts", self.pages.signOut(own))]
  }

  package var signIns: [(name: String, html: String)] {
    let failures: [SignInFailure?] = [nil] + SignInFailure.samples
    // For a document client (see the glossary in docs/architecture.md), the app's metadata is a document at this host.
    var withDocumentHost = self.signIn()
    withDocumentHost.documentHost = self.untrusted
    var inWebView = self.signIn()
    inWebView.webView = WebViewWarning(path: "/browser?i=" + self.untrusted)
    var withUpstreams = self.signIn()
    withUpstreams.upstreams = [
      UpstreamChoice(id: "corp", name: self.untrusted), UpstreamChoice(id: "other", name: self.untrusted),
    ]
    return failures.flatMap { failure in
      ["", self.untrusted].map { username in
        (
          "sign in, \(failure.map { "\($0)" } ?? "first"), \(username.isEmpty ? "empty" : "prefilled")",
          self.pages.signIn(self.signIn(username: username, failure: failure))
        )
      }
    } + [("sign in, published", self.pages.signIn(withDocumentHost)), ("sign in, embedded", self.pages.signIn(inWebView))]
      + [("sign in, with upstreams", self.pages.signIn(withUpstreams))]
      + self.accountSignIns
  }

  private var accountSignIns: [(name: String, html: String)] {
    let purposes: [SignInPage.Purpose] = [
      .account, .device, .confirmation(SignInPage.Confirmation()),
      .confirmation(SignInPage.Confirmation(isRecent: true, acceptsPasskey: true, acceptsCode: true)),
    ]
    let pages: [(name: String, html: String)] = purposes.map { purpose in
      var page = self.signIn(username: self.untrusted, failure: purpose == .account ? nil : .otherUser)
      page.purpose = purpose
      return ("sign in, \(purpose)", self.pages.signIn(page))
    }
    return pages + self.missingFactors
  }

  private var missingFactors: [(name: String, html: String)] {
    SignInPage.MissingFactor.Kind.allCases.map { kind in
      var page = self.signIn()
      page.missingFactor = SignInPage.MissingFactor(kind, username: self.untrusted, accountAction: "/account#passkeys")
      return ("sign in, missing \(kind)", self.pages.signIn(page))
    }
  }

  package var passwordChanges: [(name: String, html: String)] {
    let failures: [ChangePasswordPage.Failure?] =
      [nil] + ChangePasswordPage.Failure.samples
    var voluntaryChange = self.changePassword()
    (voluntaryChange.proof, voluntaryChange.cancelAction) = (nil, "/account?" + self.untrusted)
    var first = self.changePassword()
    (first.proof, first.isFirst, first.signsOut) = (nil, true, false)
    return failures.map { failure in
      ("change password, \(failure.map { "\($0)" } ?? "first")", self.pages.changePassword(self.changePassword(failure)))
    } + [("change password, chosen", self.pages.changePassword(voluntaryChange))]
      + [("choose the first password", self.pages.changePassword(first))]
  }

  package func changePassword(_ failure: ChangePasswordPage.Failure? = nil) -> ChangePasswordPage {
    ChangePasswordPage(
      username: self.untrusted, failure: failure, minimumLength: 15, action: "/change?i=" + self.untrusted,
      csrfToken: self.untrusted, proof: self.untrusted)
  }

  package var consents: [(name: String, html: String)] {
    let destinations: [Destination] = [
      .thisComputer(port: 51234), .thisComputer(port: nil), .app(scheme: self.untrusted), .website(host: self.untrusted),
      .otherDevice(code: self.untrusted),
    ]
    let shapes = destinations.flatMap { destination in
      [(true, true), (true, false), (false, false)].map { isVerified, isFirstParty in
        var page = self.consent
        page.destination = destination
        page.isVerified = isVerified
        page.isFirstParty = isFirstParty
        return ("consent, \(destination), \(isVerified), \(isFirstParty)", self.pages.consent(page))
      }
    }
    var withDocumentHost = self.consent
    withDocumentHost.documentHost = self.untrusted
    let reasons: [ConsentReason?] = [nil] + ConsentReason.allCases
    return shapes + [("consent, published", self.pages.consent(withDocumentHost))]
      + reasons.map { reason in
        var page = self.consent
        page.reason = reason
        return ("consent, \(reason.map { "\($0)" } ?? "no reason")", self.pages.consent(page))
      }
  }

  package func signIn(username: String = "", failure: SignInFailure? = nil, isVerified: Bool = false) -> SignInPage {
    SignInPage(
      appName: self.untrusted, isVerified: isVerified, username: username, failure: failure,
      action: "/signin?i=" + self.untrusted,
      csrfToken: self.untrusted, facts: self.facts)
  }

  package var consent: ConsentPage {
    ConsentPage(
      appName: self.untrusted, isVerified: false, username: self.untrusted, destination: .thisComputer(port: 51234),
      scopes: ["openid", "profile", "email", "offline_access"].map { ScopeLine($0) } + [ScopeLine(self.untrusted, isNew: true)],
      resources: [self.untrusted], reason: .loopback, action: "/consent?i=" + self.untrusted, csrfToken: self.untrusted,
      switchAccountAction: "/signin?switch&i=" + self.untrusted, facts: self.facts)
  }

  package var facts: AppFacts {
    AppFacts(
      links: [AppFacts.Link(.privacyPolicy, address: "https://a.example/?" + self.untrusted, host: self.untrusted)],
      contacts: [self.untrusted])
  }

  package var devices: [(name: String, html: String)] {
    let failures: [DevicePage.Failure?] = [nil] + DevicePage.Failure.allCases
    return failures.map { failure in
      let page = DevicePage(userCode: self.untrusted, failure: failure, action: "/device", csrfToken: self.untrusted)
      return ("device, \(failure.map { "\($0)" } ?? "first")", self.pages.device(page))
    }
      + [DevicePage.Decision.allowed, .denied].map { decision in
        ("device, \(decision)", self.pages.device(DevicePage(decision: decision, appName: self.untrusted)))
      }
  }

  package var error: ErrorPage {
    ErrorPage(title: self.untrusted, explanation: self.untrusted, advice: self.untrusted, requestID: self.untrusted, status: 400)
  }
}

extension SignInFailure {
  /// At least one sample of each case except `wrongPasskey`, which is on the pages in ``SamplePages/scripted``.
  package static let samples: [SignInFailure] =
    [
      .wrongCredentials, .throttled(seconds: 40), .throttled(seconds: 1_741), .busy, .expired, .otherUser, .cookiesNeeded,
      .passkeyRequired, .attestedPasskeyRequired, .secondFactorRequired, .passkeyForNewPassword,
    ] + UpstreamFailure.allCases.map { .upstream($0, name: "42") }
}

extension ChangePasswordPage.Failure {
  /// One sample of each case.
  package static let samples: [ChangePasswordPage.Failure] = [
    .entriesDiffer, .notAccepted(.tooShort(minimumLength: 15)), .notAccepted(.tooLong), .notAccepted(.tooEasyToGuess),
    .throttled(seconds: 40), .busy,
  ]
}
