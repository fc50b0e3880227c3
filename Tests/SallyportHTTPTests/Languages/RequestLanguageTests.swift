import HTTPTestSupport
import HTTPTypes
import Hummingbird
import SallyportLanguages
import SallyportServer
import ServerTestSupport
import Testing

@testable import SallyportHTTP

@Suite("The language of a page")
struct RequestLanguageTests {
  private static let translated = PageCatalogs.languages.filter { $0 != .english }

  private func request(_ path: String, acceptLanguage: String?) -> Request {
    var head = HTTPRequest(method: .get, scheme: "https", authority: "id.example", path: path)
    head.headerFields[.acceptLanguage] = acceptLanguage
    return Request(head: head, body: .init(buffer: .init()))
  }

  // The server has no translation for `tlh` (Klingon).
  @Test(
    "the app's languages come before the user's setting, the browser's languages, and the default",
    arguments: [
      ("/", "de" as String?, "fr" as String?, Language.japanese as Language?, Language.german),
      ("/", nil, "fr", .japanese, .japanese),
      ("/", nil, "fr", nil, .french), ("/", nil, nil, nil, .spanish), ("/", "tlh", "fr", nil, .french),
      ("/", nil, "tlh", nil, .spanish),
      ("/?ui_locales=de", nil, "fr", .japanese, .german), ("/?ui_locales=tlh%20pt-BR", nil, nil, nil, .portuguese),
      ("/?ui_locales=%zz", nil, "fr", nil, .french), ("/?x=ui_locales%3Dde", nil, "fr", nil, .french),
    ])
  func priority(_ path: String, uiLocales: String?, acceptLanguage: String?, setting: Language?, expected: Language) {
    let languages = RequestLanguage(defaultLanguage: .spanish, languages: Language.allCases)
    let request = self.request(path, acceptLanguage: acceptLanguage)
    #expect(languages.language(of: request, uiLocales: uiLocales, setting: setting) == expected)
  }

  @Test("the response with a page names the page's language, and says that the page depends on the browser's languages")
  func headers() async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      #expect(page.headers[.contentLanguage] == "en" && page.headers[.vary] == "Accept-Language")
      #expect(page.body.contains("<html lang=\"en\" dir=\"ltr\">"))
    }
  }

  @Test("the sign-in page has the language that the app asks for, even after a rejected sign-in", arguments: Self.translated)
  func signIn(_ language: Language) async throws {
    try await withSite { site in
      let browser = TestBrowser(site, headers: [.acceptLanguage: "en"])
      let page = try await browser.authorize(AuthorizeParameters().with("ui_locales", "tlh \(language.tag)"))
      let expected = "<html lang=\"\(language.tag)\" dir=\"\(language.direction.rawValue)\">"
      #expect(page.isSignInPage && page.body.contains(expected) && page.headers[.contentLanguage] == language.tag)
      let rejected = try await browser.submit(page, [("username", "alice"), ("password", "wrong")])
      #expect(rejected.body.contains(expected))
    }
  }

  @Test("the pages and mails for forgotten passwords and sign-up have the language that the app asks for")
  func linkedPages() async throws {
    try await withMail(signUp: .open) { site in
      let browser = TestBrowser(site, headers: [.acceptLanguage: "en"])
      let signIn = try await browser.authorize(AuthorizeParameters(.claimedHTTPS).with("ui_locales", "fr"))
      let links = [("forgot-password", "username", "ada"), ("sign-up", "email", "carol@example.com")]
      for (path, field, value) in links {
        let address = try #require(signIn.body.split(separator: "href=\"").first { $0.hasPrefix("/account/\(path)?") })
        let form = try await browser.open(String(address.prefix { $0 != "\"" }))
        let sent = try await browser.submit(form, [(field, value)])
        let mail = try #require(try await site.deliverMail().last)
        #expect(mail.html.contains(#"<html lang="fr""#))
        let link = try #require(mail.link)
        let opened = try await browser.open(link)
        let used = try await browser.submit(opened, [("token", try oneTimeToken(in: link))])
        for page in [form, sent, opened, used] { #expect(page.headers[.contentLanguage] == "fr", "\(path): \(page.body)") }
      }
    }
  }

  @Test(
    "the sign-in page, its style sheet, and its icon together have less than 25 KB in every language",
    arguments: PageCatalogs.languages)
  func size(_ language: Language) async throws {
    try await withSite { site in
      let page = try await TestBrowser(site, headers: [.acceptLanguage: language.tag]).authorize(AuthorizeParameters())
      #expect(page.isSignInPage && page.headers[.contentLanguage] == language.tag)
      #expect(page.body.utf8.count + Asset.styleSheet.bytes.count + Asset.icon.bytes.count < 25_000)
    }
  }

  @Test("error pages and pages without a sign-in have the browser's language", arguments: Self.translated)
  func otherPages(_ language: Language) async throws {
    try await withSite { site in
      let browser = TestBrowser(site, headers: [.acceptLanguage: "\(language.tag), en;q=0.5"])
      for path in [
        "/", "/missing", "/authorize", "/interaction?i=x", "/device", "/account", "/account/forgot-password", "/sign-out",
      ] {
        let page = try await browser.open(path)
        #expect(page.isPage && page.headers[.contentLanguage] == language.tag, "\(path)")
      }
    }
  }
}
