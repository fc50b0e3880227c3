import SallyportLanguages
import Testing

@Suite("Choice of a language")
struct LanguageLookupTests {
  @Test(
    "ui_locales lists language tags, and the first one with a match wins",
    arguments: [
      ("de", Language.german), ("de-AT", .german), ("de-Latn-AT-1996-x-home", .german), ("DE-at", .german),
      ("pt-BR", .portuguese),
      ("ja-JP", .japanese), ("ar-EG", .arabic), ("zh", .simplifiedChinese), ("zh-CN", .simplifiedChinese),
      ("zh-SG", .simplifiedChinese), ("zh-Hans", .simplifiedChinese), ("zh-hans-TW", .simplifiedChinese),
      ("zh-TW", nil), ("zh-HK", nil), ("zh-Hant", nil), ("zh-Hant-CN", nil), ("zh-TW de", .german), ("tlh fr de", .french),
      ("", nil), ("tlh", nil), ("*", nil), ("d", nil), ("deu-", nil), ("de_AT", nil), ("de;q=1", nil), ("i-default es", .spanish),
      ("  fr  ", .french),
    ] as [(String, Language?)])
  func uiLocales(_ text: String, expected: Language?) {
    #expect(Language.preferred(uiLocales: text) == expected)
  }

  @Test(
    "the weights, exclusions, and wildcard of Accept-Language are respected",
    arguments: [
      ("de", Language.german), ("de-CH, en;q=0.5", .german), ("en;q=0.5, de", .german), ("fr;q=0.8, de;q=0.9, en;q=0.7", .german),
      ("fr;q=0.9,de;q=0.9", .french), ("de;q=0, fr;q=0.1", .french), ("de;q=0, de-AT", nil), ("de-AT;q=0, de", .german),
      ("zh;q=0, zh-CN, ja;q=0.1", .japanese), ("*", .english), ("en;q=0, *;q=0.5", .german), ("tlh, *;q=0.1", .english),
      ("en;q=0.2, *;q=0.5", .german), ("*;q=0", nil), ("", nil), (",,", nil), ("de;q=2, fr", .french),
      ("de;q=0.1234, fr", .french),
      ("de;q=x, fr", .french), ("de;level=1;q=1, fr", .french), ("de ; q=0.5 , fr ; q=0.4", .german), ("de;Q=0.5", .german),
      ("de;q=1.001, fr", .french), ("de;q=1.000", .german), ("zh-TW, zh;q=0.9", .simplifiedChinese),
      ("zh-TW, en;q=0.1", .english),
      ("\u{301}de, fr", .french),
    ] as [(String, Language?)])
  func acceptLanguage(_ text: String, expected: Language?) {
    #expect(Language.preferred(acceptLanguage: text) == expected)
  }

  @Test("the wildcard selects the preferred language, unless the field also lists this language")
  func wildcard() {
    #expect(Language.preferred(acceptLanguage: "*", preference: .french) == .french)
    #expect(Language.preferred(acceptLanguage: "fr;q=0.1, *;q=0.5", preference: .french) == .english)
    #expect(Language.preferred(acceptLanguage: "ja, *;q=0.5", among: [.english, .german], preference: .german) == .german)
  }

  @Test("only the first 512 bytes of a list are read")
  func bound() {
    let padding = String(repeating: "tlh, ", count: 120)
    #expect(Language.preferred(acceptLanguage: padding + "de") == nil)
    #expect(Language.preferred(acceptLanguage: "de, " + padding) == .german)
    #expect(Language.preferred(uiLocales: String(repeating: "tlh ", count: 150) + "de") == nil)
  }

  @Test("only an available language is chosen")
  func available() {
    #expect(Language.preferred(acceptLanguage: "de, fr;q=0.5", among: [.english, .french]) == .french)
    #expect(Language.preferred(uiLocales: "de fr", among: [.english, .french]) == .french)
  }

  @Test(
    "numbers have the plural categories of CLDR",
    arguments: [
      (Language.english, [0: "other", 1: "one", 2: "other", 1_000_000: "other"]),
      (.german, [0: "other", 1: "one", 2: "other"]),
      (.french, [0: "one", 1: "one", 2: "other", 1_000_000: "many"]),
      (.portuguese, [0: "one", 1: "one", 2: "other", 2_000_000: "many"]),
      (.spanish, [0: "other", 1: "one", 2: "other", 1_000_000: "many"]),
      (.japanese, [0: "other", 1: "other"]), (.simplifiedChinese, [1: "other"]),
      (
        .arabic,
        [
          0: "zero", 1: "one", 2: "two", 3: "few", 10: "few", 11: "many", 99: "many", 100: "other", 102: "other", 103: "few",
          111: "many",
        ]
      ),
    ])
  func plurals(_ language: Language, expected: [Int: String]) {
    for (number, category) in expected {
      #expect(language.pluralCategory(of: number).rawValue == category, "\(number)")
      #expect(language.pluralCategories.contains(language.pluralCategory(of: number)))
    }
  }
}
