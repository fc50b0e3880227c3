import SallyportLanguages
import Testing

@testable import SallyportHTTP

/// A catalog contains the texts of the pages in one language. In a template, a token such as `[[error-title title=a]]`
/// stands for a text with its arguments.
@Suite("Catalogs of pages")
struct PageCatalogTests {
  @Test("every key is used by code or by a template, and every key that they use is in the English catalog")
  func keys() throws {
    var tokens = TemplateTexts(try PageCatalogs.texts(.english))
    for template in PageTemplate.allCases { _ = try tokens.replaceTokens(in: template.source) }
    let used = tokens.usedKeys.union(PageText.allCases.map(\.rawValue))
    let keys = Set(try PageCatalogs.catalog(.english).messages.keys)
    #expect(used.subtracting(keys) == [], "missing")
    #expect(keys.subtracting(used) == [], "not used")
  }

  @Test("every language has a catalog")
  func languages() {
    #expect(PageCatalogs.languages == Language.allCases)
  }

  @Test(
    "every catalog has the keys and arguments of the English one, and the plural categories of its language",
    arguments: PageCatalogs.languages)
  func translations(_ language: Language) throws {
    let english = try PageCatalogs.catalog(.english).messages
    let messages = try PageCatalogs.catalog(language).messages
    #expect(Set(messages.keys) == Set(english.keys))
    for (key, message) in messages {
      #expect(message.arguments == english[key]?.arguments, "\(key)")
      #expect(message.hasPlural == english[key]?.hasPlural, "\(key)")
      #expect(message.plurals.allSatisfy { $0 == language.pluralCategories }, "\(key)")
    }
  }

  @Test(
    "the accessible name of a button contains its visible text (WCAG 2.2, 2.5.3)", arguments: PageCatalogs.languages)
  func labelsInNames(_ language: Language) throws {
    let messages = try PageCatalogs.catalog(language).messages
    let button = /<span aria-hidden="true">\[\[(?<label>[^\s\]]+)\]\]<\/span><span class="hidden">\[\[(?<name>[^\s\]]+)/
    let pairs = PageTemplate.allCases.flatMap { $0.source.matches(of: button) }
    // The number of such buttons in the templates. It shows that the pattern still finds them.
    #expect(pairs.count == 5)
    for pair in pairs {
      let label = try #require(messages[String(pair.label)]).formatted([:], in: language)
      let message = try #require(messages[String(pair.name)])
      let name = message.formatted(message.arguments.reduce(into: [:]) { $0[$1] = .text("Notes") }, in: language)
      #expect(name.contains(label), "\(name)")
    }
  }

  @Test(
    "a token that does not fit its message is rejected",
    arguments: [
      ("[[missing]]", TemplateTextError.unknownKey("missing")), ("[[unverified", .unclosedToken("unverified")),
      ("[[error-title]]", .missingArgument(key: "error-title", "title")),
      ("[[unverified a=b]]", .unusedArgument(key: "unverified", "a")),
      ("[[error-title title=a | title=b]]", .unusedArgument(key: "error-title", "title")),
      ("[[error-title title]]", .malformedArgument(key: "error-title", " title")),
      ("[[waiting.seconds count=1]]", .plural("waiting.seconds")),
      ("[[error-title title=[[missing]]]]", .unknownKey("missing")),
    ])
  func invalidTokens(_ source: String, _ error: TemplateTextError) throws {
    var tokens = TemplateTexts(try PageCatalogs.texts(.english))
    #expect(throws: error) { try tokens.replaceTokens(in: source) }
  }

  @Test("a text of a catalog cannot add markup, Mustache tags, or tokens to a page")
  func escaping() throws {
    // In a message, apostrophes quote braces, which otherwise begin an argument.
    let message = try Message("<b>'{{'site.name'}}' [[unverified]] \"{app}\"")
    let texts = PageTexts(.arabic, Catalog(messages: ["form-post.title": message]), english: Catalog())
    var tokens = TemplateTexts(texts)
    let result = try tokens.replaceTokens(
      in: "<a lang=\"[[@language]]\" dir=\"[[@direction]]\">[[form-post.title app=<i>{{x}}</i>]]")
    #expect(
      result == """
        <a lang="ar" dir="rtl">&lt;b&gt;&#123;&#123;site.name&#125;&#125; &#91;&#91;unverified&#93;&#93; &quot;<i>{{x}}</i>&quot;
        """)
  }
}
