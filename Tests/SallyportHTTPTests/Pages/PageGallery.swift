import Foundation
import SallyportProtocol
import Testing

@testable import SallyportHTTP

private let galleryFolder = ProcessInfo.processInfo.environment["SALLYPORT_GALLERY"].map { URL(filePath: $0) }

/// Writes the pages for Scripts/screenshots. Some contain text that is hard to lay out.
@Suite(.enabled(if: galleryFolder != nil, "only Scripts/screenshots runs this suite"))
struct PageGallery {
  static let long = "Quarterly Sustainability Reporting Assistant for Distributed Teams, Enterprise Edition"
  static let arabic = "دفتر الملاحظات"
  /// Text that reverses what follows, contains tags, and stacks combining marks.
  static let hostile = "\u{202E}Evil\u{202C} <b>App</b> \u{0} Z\u{334}\u{335}\u{336}\u{337}\u{338}\u{321}\u{322}algo \"quoted\""

  static let facts = AppFacts(
    links: [
      AppFacts.Link(.website, address: "https://notes.example.com/", host: "notes.example.com"),
      AppFacts.Link(
        .privacyPolicy, address: "https://legal.example.com/p",
        host: "accounts.with.a.very.long.name.of.many.labels.legal.example.com"),
      AppFacts.Link(.terms, address: "https://legal.example.com/t", host: "legal.example.com"),
    ], contacts: ["help@notes.example.com", "security@notes.example.com"])

  @Test("writes the pages") func write() throws {
    let folder = try #require(galleryFolder)
    let pages = Pages(serverName: "Example Accounts")
    for asset in [Asset.styleSheet, .icon] {
      let file = folder.appending(path: asset.path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(asset.bytes).write(to: file)
    }
    for (number, page) in Self.pages(pages).enumerated() {
      let name = "\(number < 9 ? "0" : "")\(number + 1)-\(page.name).html"
      try Data(page.html.utf8).write(to: folder.appending(path: name))
    }
  }

  private static func pages(_ pages: Pages) -> [(name: String, html: String)] {
    self.signIns(pages) + self.consents(pages) + self.devices(pages) + self.accounts(pages) + [
      (
        "error",
        pages.error(
          ErrorPage(
            title: "Invalid redirect address",
            explanation:
              "The app asked this server to send you to an address that is not registered for it, so you were not redirected.",
            advice: "Close this page and contact the app's developer.", requestID: "3f1c0a52-77d0-4ad0-9a8e-0d6a1d2f9b11",
            status: 400))
      ),
      ("sign-out", pages.signOut(SignOutPage(username: "alice", action: "/", csrfToken: "t", stayAction: "/"))),
      ("sign-out-for-app", pages.signOut(SignOutPage(username: "alice", appName: self.long, action: "/", csrfToken: "t"))),
      ("sign-out-for-another-user", pages.signOut(self.signOut(mismatch: .user))),
      ("sign-out-for-another-session", pages.signOut(self.signOut(mismatch: .session))),
      (
        "signed-out-provider",
        pages.signedOut(
          SignedOutPage(username: "alice", provider: .init(name: "Corp Login", url: "https://login.corp.example/logout")))
      ),
      ("signed-out", pages.signedOut(SignedOutPage(username: "alice"))),
      (
        "form-post",
        pages.formPost(to: "https://web.example/cb", appName: self.long, [("code", "c"), ("state", "s")])
          // The picture shows the page as it looks without scripts.
          .replacing("<script>document.forms[0].submit()</script>", with: "")
      ),
      ("home", pages.home(HomePage(username: "alice", signOutAction: "/", csrfToken: "t"))),
      ("home-nobody", pages.home(HomePage())),
    ]
  }

  private static func signOut(mismatch: SignOutPage.Mismatch) -> SignOutPage {
    SignOutPage(username: "alice@example.com", appName: "Notes", mismatch: mismatch, action: "/", csrfToken: "t", stayAction: "/")
  }

  private static func devices(_ pages: Pages) -> [(name: String, html: String)] {
    let failures: [DevicePage.Failure?] = [nil] + DevicePage.Failure.allCases
    return failures.map { failure in
      let name = failure.map { "\($0)" } ?? "empty"
      return ("device-\(name)", pages.device(DevicePage(userCode: "", failure: failure, action: "/", csrfToken: "t")))
    } + [
      ("device-given", pages.device(DevicePage(userCode: "WDJB-MJHT", action: "/", csrfToken: "t"))),
      ("device-allowed", pages.device(DevicePage(decision: .allowed, appName: self.long))),
      ("device-denied", pages.device(DevicePage(decision: .denied, appName: "Notes"))),
    ]
  }

  private static func signIns(_ pages: Pages) -> [(name: String, html: String)] {
    var embedded = SignInPage(appName: "Notes", action: "/", csrfToken: "t")
    embedded.webView = WebViewWarning(path: "/browser")
    let address = "https://accounts.example.com/interaction?i=" + String(repeating: "Zm9v", count: 60)
    func page(
      _ app: String, isVerified: Bool = true, username: String = "", failure: SignInFailure? = nil
    ) -> String {
      pages.signIn(
        SignInPage(appName: app, isVerified: isVerified, username: username, failure: failure, action: "/", csrfToken: "t"))
    }
    return [
      ("sign-in", page("Notes")), ("sign-in-unverified-long", page(self.long, isVerified: false)),
      ("sign-in-hostile", page(self.hostile)), ("sign-in-web-view", pages.signIn(embedded)),
      ("web-view", pages.webView(WebViewPage(appName: self.long, address: address, isAndroid: true))),
      (
        "sign-in-facts",
        pages.signIn(SignInPage(appName: "Notes", isVerified: false, action: "/", csrfToken: "t", facts: self.facts))
      ),
      (
        "sign-in-document",
        pages.signIn(
          SignInPage(appName: "Editor", isVerified: false, action: "/", csrfToken: "t", documentHost: "accounts.editor.example"))
      ),
    ] + SignInFailure.samples.map { ("sign-in-\($0)", page("Notes", username: "alice", failure: $0)) }
      + ([nil] + ChangePasswordPage.Failure.samples).enumerated().map { index, failure in
        let page = ChangePasswordPage(
          username: "alice", failure: failure, minimumLength: 15, action: "/", csrfToken: "t", proof: "p")
        return ("change-password-\(index)", pages.changePassword(page))
      }
  }

  private static func consents(_ pages: Pages) -> [(name: String, html: String)] {
    func page(_ app: String, _ destination: Destination, _ change: (inout ConsentPage) -> Void = { _ in }) -> String {
      var page = ConsentPage(
        appName: app, isVerified: true, username: "alice", destination: destination,
        scopes: ScopeLine.lines("openid profile offline_access"), action: "/", csrfToken: "t", switchAccountAction: "/")
      change(&page)
      return pages.consent(page)
    }
    let many: Scope =
      "openid profile email address phone offline_access notes:read notes:write https://api.example.com/scope/billing.readonly"
    return [
      ("consent-loopback", page("Notes", .thisComputer(port: 51234)) { $0.reason = .loopback }),
      ("consent-private-use", page("Notes", .app(scheme: "com.example.notes")) { $0.reason = .privateUseScheme }),
      ("consent-claimed-https", page("Notes", .website(host: "notes.example.com"))),
      (
        "consent-first-party",
        page("Notes", .thisComputer(port: 51234)) {
          $0.isFirstParty = true
          $0.reason = .loopback
        }
      ),
      (
        "consent-unverified-many",
        page(self.long, .website(host: "accounts.with.a.very.long.name.of.many.labels.notes.example.com")) {
          $0.isVerified = false
          $0.scopes = ScopeLine.lines(many, known: "openid profile")
          $0.reason = .newScopes
          $0.username = "alexandra.constantinopolitanopoulou@department.example.com"
        }
      ),
      (
        "consent-services-and-facts",
        page("Notes", .thisComputer(port: 51234)) {
          $0.isVerified = false
          $0.reason = .loopback
          $0.resources = ["https://mcp.notes.example.com/servers/quarterly-reports", "https://api.example.com/"]
          $0.facts = self.facts
        }
      ),
      (
        "consent-document",
        page("Editor", .thisComputer(port: 51234)) {
          $0.isVerified = false
          $0.documentHost = "editor.example"
          $0.reason = .loopback
        }
      ),
      ("consent-arabic", page(self.arabic, .app(scheme: "com.example.notes")) { $0.username = "ليلى" }),
      ("consent-hostile", page(self.hostile, .thisComputer(port: nil)) { $0.username = self.hostile }),
    ]
  }
}
