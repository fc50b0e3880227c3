import SallyportLanguages
import Testing

@Suite("Messages")
struct MessageTests {
  @Test(
    "arguments are replaced, and apostrophes quote braces as in ICU",
    arguments: [
      ("Hello", "Hello"), ("Hello {name}", "Hello Ada"), ("{name}{name}", "AdaAda"), ("{ name }", "Ada"), ("{name", nil),
      ("name}", nil), ("{}", nil), ("{1}", nil), ("{name!}", nil), ("app's name: {name}", "app's name: Ada"),
      ("'{name}'", "{name}"), ("it''s '{'{name}'}'", "it's {Ada}"), ("'{'' '}", nil), ("'{it''s}'", "{it's}"), ("'{name}", nil),
      ("{name, select, other {x}}", nil), ("{name, number}", nil), ("#", "#"), ("'#", "'#"), ("{\u{301}a}", nil),
    ] as [(String, String?)])
  func arguments(_ text: String, expected: String?) {
    #expect((try? Message(text))?.formatted(["name": "Ada"], in: .english) == expected)
  }

  @Test(
    "a plural chooses by the exact number, and then by the category of the language",
    arguments: [
      (0, Language.english, "none"), (1, .english, "1 code"), (2, .english, "2 codes of Ada"), (0, .french, "none"),
      (5, .japanese, "5 codes of Ada"), (2, .arabic, "2 codes of Ada"),
    ])
  func plurals(_ count: Int, _ language: Language, expected: String) throws {
    let message = try Message("{count, plural, =0 {none} one {# code} other {# codes of {name}}}")
    #expect(message.formatted(["count": .number(count), "name": "Ada"], in: language) == expected)
    #expect(message.arguments == ["count", "name"] && message.plurals == [[.one, .other]])
  }

  @Test("in a plural, an apostrophe quotes the number sign")
  func numberSign() throws {
    let message = try Message("{n, plural, other {'#' #}}")
    #expect(message.formatted(["n": 3], in: .english) == "# 3")
  }

  @Test(
    "a malformed plural is rejected",
    arguments: [
      "{n, plural}", "{n, plural, }", "{n, plural, one {x}}", "{n, plural, other}", "{n, plural, other {x} other {y}}",
      "{n, plural, =x {y} other {z}}", "{n, plural, =1 {y} =1 {y} other {z}}", "{n, plural, some {x} other {y}}",
      "{n, plural, other {x}", "{n, plural, other {x", "{n plural, other {x}}",
      "{a, plural, other {{b, plural, other {{c, plural, other {x}}}}}}",
    ])
  func malformedPlural(_ text: String) {
    #expect(throws: MessageError.self) { try Message(text) }
  }

  @Test("the text and the values of a message are encoded separately")
  func encoding() throws {
    let message = try Message("a < {name}")
    #expect(message.formatted(["name": "<"], in: .english, encodeText: { "[\($0)]" }, encodeValue: { "(\($0))" }) == "[a < ](<)")
  }

  @Test("a catalog is a JSON object whose members are messages")
  func catalogs() throws {
    #expect(try Catalog(json: Array(#"{"a": "x {b}"}"#.utf8)).messages["a"]?.arguments == ["b"])
    #expect(throws: CatalogError.notAnObjectOfTexts) { try Catalog(json: Array("[]".utf8)) }
    #expect(throws: CatalogError.notAnObjectOfTexts) { try Catalog(json: Array(#"{"a": 1}"#.utf8)) }
    #expect(throws: CatalogError.invalidMessage(key: "a", .unbalancedBraces)) { try Catalog(json: Array(#"{"a": "{b"}"#.utf8)) }
  }

  private enum Key: String, TextKey { case greeting, missing }

  @Test("if a catalog lacks a message, the English message is used")
  func fallback() throws {
    let english = Catalog(messages: ["greeting": try Message("Hello"), "missing": try Message("Bye")])
    let texts = Texts<Key>(.german, Catalog(messages: ["greeting": try Message("Hallo")]), english: english)
    #expect(texts[.greeting] == "Hallo" && texts[.missing] == "Bye" && texts.language == .german)
  }
}
