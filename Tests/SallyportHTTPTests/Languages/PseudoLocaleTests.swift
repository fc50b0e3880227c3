import SallyportLanguages
import Testing

@testable import SallyportHTTP

@Suite("The pseudo-locale")
struct PseudoLocaleTests {
  /// The sample pages with accented texts. The text of apps and users consists of digits, so a letter without an accent
  /// does not come from a catalog.
  private var pages: [(name: String, html: String)] {
    let pages = Pages(serverName: "77", language: .english, editions: PageEditions { _ in try PseudoLocale.texts() })
    return SamplePages(pages: pages, untrusted: "42").all
  }

  /// Words of sample values and identifiers, which are the same in all languages.
  private static let untranslated: Set<String> = [
    "UTC", "WDJB", "MJHT", "Firefox", "Linux", "ABCD", "EFGH", "abcd", "efgh", "jkmn", "openid", "k", "m", "q", "tw", "z", "xd",
  ]
  /// The words in the names of the languages. Each language has its name in that language.
  private static let languageNames = Language.allCases.flatMap { Self.words($0.name[...]) }

  @Test("every text of the sample pages comes from a catalog")
  func pagesFromCatalogs() throws {
    for (name, html) in self.pages {
      let words = Self.visibleWords(html).filter {
        !$0.unicodeScalars.contains("\u{301}") && !Self.untranslated.contains($0) && !Self.languageNames.contains($0)
      }
      #expect(words == [], "\(name)")
    }
  }

  @Test("the words that users see or hear are found in elements and in attributes, and not in scripts")
  func finds() {
    #expect(Self.visibleWords("<p title=\"T\" class=\"x\">A&nbsp;b</p><script>x</script>") == ["T", "A", "b"])
  }

  /// The words of the text and of the attributes that users see or hear.
  private static func visibleWords(_ html: String) -> [String] {
    var words: [String] = []
    for piece in html.split(separator: "<") {
      guard let end = piece.firstIndex(of: ">") else { continue }
      let tag = piece[..<end]
      for name in ["title", "aria-label", "placeholder", "alt", "data-failed", "data-exists"] {
        if let value = tag.split(separator: " \(name)=\"").dropFirst().first?.prefix(while: { $0 != "\"" }) {
          words += Self.words(value)
        }
      }
      if !tag.hasPrefix("script"), !tag.hasPrefix("style") { words += Self.words(piece[piece.index(after: end)...]) }
    }
    return words
  }

  private static func words(_ text: Substring) -> [String] {
    var text = String(text)
    for entity in ["&nbsp;", "&lt;", "&gt;", "&quot;", "&amp;", "&#39;", "&#123;", "&#125;", "&#91;", "&#93;"] {
      text = text.replacing(entity, with: " ")
    }
    return text.unicodeScalars.split { !$0.properties.isAlphabetic && $0 != "\u{301}" }.map {
      String(String.UnicodeScalarView($0))
    }
  }
}
