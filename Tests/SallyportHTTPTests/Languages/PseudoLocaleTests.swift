import HTTPTestSupport
import SallyportLanguages
import TestSupport
import Testing

@testable import SallyportHTTP

@Suite("The pseudo-locale of the pages")
struct PseudoLocaleTests {
  /// The sample pages in the pseudo-locale: the English texts with an accent on each letter. The text of apps and users
  /// consists of digits, so a letter without an accent does not come from a catalog.
  private var pages: [(name: String, html: String)] {
    let editions = PageEditions { _ in
      PageTexts(.english, try PseudoLocale.catalog(PageCatalogs.catalog(.english)), english: Catalog())
    }
    return SamplePages(pages: Pages(serverName: "77", language: .english, editions: editions), untrusted: "42").all
  }

  /// Words of sample values and identifiers, which are the same in all languages.
  private static let untranslated: Set<String> = [
    "UTC", "WDJB", "MJHT", "Firefox", "Linux", "ABCD", "EFGH", "abcd", "efgh", "jkmn", "openid", "k", "m", "q", "tw", "z", "xd",
  ]
  /// The words in the names of the languages. They do not come from a catalog, because a language's name is always in
  /// that language.
  private static let languageNames = Language.allCases.flatMap { VisibleWords.text($0.name) }

  @Test("every text of the sample pages comes from a catalog")
  func pagesFromCatalogs() {
    for (name, html) in self.pages {
      let words = PseudoLocale.wordsWithoutAccent(in: VisibleWords.html(html)).filter {
        !Self.untranslated.contains($0) && !Self.languageNames.contains($0)
      }
      #expect(words == [], "\(name)")
    }
  }

  @Test("the words that users see or hear are found in elements and in attributes, and not in scripts")
  func finds() {
    #expect(VisibleWords.html("<p title=\"T\" class=\"x\">A&nbsp;b</p><script>x</script>") == ["T", "A", "b"])
  }
}
