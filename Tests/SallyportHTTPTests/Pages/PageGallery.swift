import Foundation
import HTTPTestSupport
import SallyportHTTP
import SallyportLanguages
import SallyportProtocol
import Testing

private let galleryFolder = ProcessInfo.processInfo.environment["SALLYPORT_GALLERY"].map { URL(filePath: $0) }

/// Writes the pages for Scripts/screenshots in three languages: one with short words, one with long words, and one from
/// right to left. Some pages contain text that is hard to lay out.
@Suite(.enabled(if: galleryFolder != nil, "only Scripts/screenshots runs this suite"))
struct PageGallery {
  static let long = "Quarterly Sustainability Reporting Assistant for Distributed Teams, Enterprise Edition"
  static let unbroken = "alexandra.constantinopolitanopoulou.of.sustainability@department.example.com"
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
    for asset in [Asset.styleSheet, .icon] {
      let file = folder.appending(path: asset.path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(asset.bytes).write(to: file)
    }
    for language in [Language.english, .german, .arabic] {
      for (number, page) in Self.pages(language).enumerated() {
        // Three digits, so that the files are sorted in the order of the pages.
        let digits = "\(1_000 + number)".dropFirst()
        let words = page.name.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
        // The script would submit the page's form before the screenshot.
        let html = page.html.replacing("<script>document.forms[0].submit()</script>", with: "")
          .replacing("<details>", with: "<details open>")
        try Data(html.utf8).write(to: folder.appending(path: "\(language.tag)-\(digits)-\(words.prefix(60)).html"))
      }
    }
  }

  private static func pages(_ language: Language) -> [(name: String, html: String)] {
    // The untrusted texts are shown in one language from left to right and in one from right to left.
    let texts =
      language == .german
      ? [] : [("long", self.long), ("unbroken", self.unbroken), ("arabic", self.arabic), ("hostile", self.hostile)]
    let hard: [(name: String, html: String)] = texts.flatMap { name, text in
      Self.oneOfEachPage(SamplePages(untrusted: text, language: language).all).map { ("\(name), \($0)", $1) }
    }
    return self.distinct(SamplePages(language: language).all)
      + self.consents(Pages(serverName: "Example Accounts", language: language)) + hard
  }

  /// The pages without those that differ from an earlier page only in their texts.
  private static func distinct(_ pages: [(name: String, html: String)]) -> [(name: String, html: String)] {
    var found: Set<String> = []
    return pages.filter { found.insert($0.html.replacing(/>[^<]*</, with: "><")).inserted }
  }

  /// The longest variant of each page. The names of variants are the same up to the first comma.
  private static func oneOfEachPage(_ pages: [(name: String, html: String)]) -> [(name: String, html: String)] {
    let groups = Dictionary(grouping: pages) { String($0.name.prefix { $0 != "," }) }
    return groups.sorted { $0.key < $1.key }.compactMap { name, variants in
      variants.max { $0.html.utf8.count < $1.html.utf8.count }.map { (name, $0.html) }
    }
  }

  /// Consent pages with longer texts than those of the sample pages.
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
      ("consent-private-use", page("Notes", .app(scheme: "com.example.notes")) { $0.reason = .privateUseScheme }),
      ("consent-claimed-https", page("Notes", .website(host: "notes.example.com"))),
      (
        "consent-unverified-many",
        page(self.long, .website(host: "accounts.with.a.very.long.name.of.many.labels.notes.example.com")) {
          $0.isVerified = false
          $0.scopes = ScopeLine.lines(many, known: "openid profile")
          $0.reason = .newScopes
          $0.username = self.unbroken
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
    ]
  }
}
