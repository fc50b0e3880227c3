import Crypto
import Sallyport
import SallyportDesktop
import SallyportLanguages
import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Tests the last page, which the receiver of the redirect shows in the browser at the end of a sign-in or sign-out.
@Suite("The last page")
struct LastPageTests {
  static let outcomes: [ReceivedRedirect.Outcome?] = [
    .signedIn(appName: "Notes"), .signedIn(appName: nil), .denied, .failed, .signedOut(appName: "Notes"),
    .signedOut(appName: nil), nil,
  ]

  @Test("C-27: the page says that the user can close the tab and go back to the app", arguments: Self.outcomes)
  func wayBack(_ outcome: ReceivedRedirect.Outcome?) {
    let html = LastPage.html(outcome)
    #expect(html.contains("close this tab"))
    let isNamed = [.signedIn(appName: "Notes"), .signedOut(appName: "Notes")].contains(outcome)
    // After a failure, the sentence begins with "Go".
    #expect(html.contains(isNamed ? "go back to <bdi>Notes</bdi>" : "o back to the app"))
  }

  @Test("the page shows each outcome with its own text")
  func outcome() {
    #expect(LastPage.html(.signedIn(appName: nil)).contains("<h1>You are signed in</h1>"))
    #expect(LastPage.html(.denied).contains("<h1>Sign-in canceled</h1>"))
    #expect(LastPage.html(.failed).contains("<h1>Sign-in failed</h1>"))
    #expect(LastPage.html(.signedOut(appName: nil)).contains("<h1>You are signed out</h1>"))
    #expect(LastPage.html(nil).contains("<h1>The app has received the response</h1>"))
  }

  @Test(
    "the app's name is escaped",
    arguments: [
      "<script>alert(1)</script>", "</style><b>", "\"\u{301} onload=x", "<\u{338}b>", "'\u{20E3}", "&lt;b&gt;", "\\(1)",
      String(repeating: "<", count: 500), "</bdi></p>", "\0<b>",
    ])
  func hostileName(_ name: String) {
    let html = LastPage.html(.signedIn(appName: name))
    #expect(Self.skeleton(html) == Self.skeleton(LastPage.html(.signedIn(appName: "Notes"))))
  }

  @Test(
    "a name that consists only of whitespace or invisible characters is ignored",
    arguments: ["", " ", "\n\t", "\u{200B}\u{202E}"])
  func blankName(_ name: String) {
    #expect(LastPage.html(.signedIn(appName: name)) == LastPage.html(.signedIn(appName: nil)))
  }

  @Test(
    "the page is one document without scripts, forms, or links, and loads nothing from elsewhere",
    arguments: Self.outcomes)
  func selfContained(_ outcome: ReceivedRedirect.Outcome?) {
    let html = LastPage.html(outcome)
    for part in [
      "<script", "<img", "<form", "<a ", "<iframe", "<base", "http", "url(", "@import", " style=", "<input", "<button",
    ] {
      #expect(!html.contains(part), "\(part)")
    }
    #expect(
      html.split(separator: "<link").dropFirst().map { $0.hasPrefix(" rel=\"icon\" href=\"data:image/svg+xml;base64,") } == [true]
    )
    #expect(html.contains("<html lang=\"en\" dir=\"ltr\">"))
    #expect(html.contains("name=\"viewport\""))
  }

  @Test("styleHash is the hash that a browser computes for the page's style element", arguments: Self.outcomes)
  func styleHash(_ outcome: ReceivedRedirect.Outcome?) throws {
    let style = try #require(LastPage.html(outcome).firstMatch(of: /<style>((?s:.*?))<\/style>/)?.1)
    #expect(LastPage.styleHash == "'sha256-\(Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString())'")
  }

  /// Returns all angle brackets and quotation marks of a page, in order. Text that is escaped correctly adds none.
  private static func skeleton(_ html: String) -> String {
    String(String.UnicodeScalarView(html.unicodeScalars.filter { "<>\"'".unicodeScalars.contains($0) }))
  }
}

@Suite("The language of the last page")
struct LastPageLanguageTests {
  @Test("the page has the first supported language of the app's UI locales, or of the browser, or is in English")
  func language() {
    #expect(LastPage.language(uiLocales: [], acceptLanguage: nil) == .english)
    // Klingon (`tlh`) is not supported.
    #expect(LastPage.language(uiLocales: ["tlh"], acceptLanguage: "tlh") == .english)
    for language in LastPageTexts.languages {
      #expect(LastPage.language(uiLocales: ["tlh", language.tag], acceptLanguage: "en") == language)
      #expect(LastPage.language(uiLocales: [], acceptLanguage: "tlh, \(language.tag);q=0.5") == language)
      let html = LastPage.html(.denied, in: language)
      #expect(html.contains("<html lang=\"\(language.tag)\" dir=\"\(language.direction.rawValue)\">"))
    }
  }

  @Test(
    "every catalog has all keys of LastPageText, and the arguments of the English catalog", arguments: LastPageTexts.languages)
  func catalogs(_ language: Language) throws {
    #expect(LastPageTexts.languages == Language.allCases)
    let english = try LastPageTexts.catalog(.english).messages
    let messages = try LastPageTexts.catalog(language).messages
    #expect(Set(messages.keys) == Set(LastPageText.allCases.map(\.rawValue)))
    for (key, message) in messages { #expect(message.arguments == english[key]?.arguments, "\(key)") }
  }

  @Test("every text of the page comes from a catalog", arguments: LastPageTests.outcomes)
  func pseudoLocale(_ outcome: ReceivedRedirect.Outcome?) throws {
    // The pseudo-locale accents every word of the catalog, so a word without an accent does not come from the catalog.
    let texts = LastPageTexts(.english, try PseudoLocale.catalog(LastPageTexts.catalog(.english)), english: Catalog())
    let words = VisibleWords.html(LastPage.html(outcome, texts))
    #expect(words.count > 5 && PseudoLocale.wordsWithoutAccent(in: words).filter { $0 != "Notes" } == [])
  }
}
