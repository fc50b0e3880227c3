import Foundation
import SallyportHTTP
import SallyportProtocol
import Testing

private let galleryFolder = ProcessInfo.processInfo.environment["SALLYPORT_GALLERY"].map { URL(filePath: $0) }

/// Writes the pages for Scripts/screenshots, each in the shapes that strain its layout.
@Suite(.enabled(if: galleryFolder != nil, "Scripts/screenshots runs it"))
struct PageGallery {
  static let long = "Quarterly Sustainability Reporting Assistant for Distributed Teams, Enterprise Edition"
  static let arabic = "دفتر الملاحظات"
  /// Turns what follows it around, would break out of its element, and stacks marks over its neighbours.
  static let hostile = "\u{202E}Evil\u{202C} <b>App</b> \u{0} Z\u{334}\u{335}\u{336}\u{337}\u{338}\u{321}\u{322}algo \"quoted\""

  @Test("the pages") func write() throws {
    let folder = try #require(galleryFolder)
    let pages = try Pages(serverName: "Example Accounts")
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
    self.signIns(pages) + self.consents(pages) + [
      (
        "error",
        pages.error(
          ErrorPage(
            title: "This app asks for a wrong return address",
            what: "The address to which the app wants you back is not one that is registered for it, so you were not sent there.",
            next: "Close this page and tell the app's maker.", requestID: "3f1c0a52-77d0-4ad0-9a8e-0d6a1d2f9b11", status: 400))
      ),
      ("sign-out", pages.signOut(SignOutPage(username: "alice", action: "/", csrfToken: "t", stayAction: "/"))),
      ("sign-out-for-app", pages.signOut(SignOutPage(username: "alice", appName: self.long, action: "/", csrfToken: "t"))),
      ("signed-out", pages.signedOut(SignedOutPage(username: "alice"))),
      ("home", pages.home(HomePage(username: "alice", signOutAction: "/", csrfToken: "t"))),
      ("home-nobody", pages.home(HomePage())),
    ]
  }

  private static func signIns(_ pages: Pages) -> [(name: String, html: String)] {
    func page(
      _ app: String, isVerified: Bool = true, username: String = "", failure: SignInFailure? = nil
    ) -> String {
      pages.signIn(
        SignInPage(appName: app, isVerified: isVerified, username: username, failure: failure, action: "/", csrfToken: "t"))
    }
    return [
      ("sign-in", page("Notes")), ("sign-in-unverified-long", page(self.long, isVerified: false)),
      ("sign-in-hostile", page(self.hostile)),
    ] + SignInFailure.allCases.map { ("sign-in-\($0)", page("Notes", username: "alice", failure: $0)) }
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
      ("consent-loopback", page("Notes", .thisComputer(port: 51234)) { $0.asksAgainReason = .loopback }),
      ("consent-private-use", page("Notes", .app(scheme: "com.example.notes")) { $0.asksAgainReason = .privateUseScheme }),
      ("consent-claimed-https", page("Notes", .website(host: "notes.example.com"))),
      (
        "consent-first-party",
        page("Notes", .thisComputer(port: 51234)) {
          $0.isFirstParty = true
          $0.asksAgainReason = .loopback
        }
      ),
      (
        "consent-unverified-many",
        page(self.long, .website(host: "accounts.with.a.very.long.name.of.many.labels.notes.example.com")) {
          $0.isVerified = false
          $0.scopes = ScopeLine.lines(many, known: "openid profile")
          $0.asksAgainReason = .newScopes
          $0.username = "alexandra.constantinopolitanopoulou@department.example.com"
        }
      ),
      ("consent-arabic", page(self.arabic, .app(scheme: "com.example.notes")) { $0.username = "ليلى" }),
      ("consent-hostile", page(self.hostile, .thisComputer(port: nil)) { $0.username = self.hostile }),
    ]
  }
}
