import SallyportLanguages
import SallyportResources
import Testing

@testable import SallyportHTTP

@Suite("Branding")
struct BrandingTests {
  /// A sign-in template with everything that the page needs to work.
  private static let form = """
    {{<layout}}{{$title}}x{{/title}}{{$main}}<h1>Hello</h1><form method="post" action="{{action}}">
    <input type="hidden" name="csrf" value="{{csrfToken}}"><input name="username"><input name="password">
    <input name="public-device">
    {{#upstreams}}{{#choices}}<button name="upstream" value="{{id}}">x</button>{{/choices}}{{/upstreams}}</form>
    {{> passkey}}{{/main}}{{/layout}}
    """
  /// A consent template without the button to allow.
  private static let consent = """
    {{<layout}}{{$title}}x{{/title}}{{$main}}<form method="post" action="{{action}}">
    <input type="hidden" name="csrf" value="{{csrfToken}}"><button name="decision" value="deny">x</button></form>{{/main}}{{/layout}}
    """
  /// A layout with everything that the pages need to work.
  private static let layout = """
    <!DOCTYPE html><html lang="[[@language]]" dir="[[@direction]]"><title>{{$title}}{{/title}}</title>
    <link rel="stylesheet" href="{{site.styleSheet}}"><body{{$body}}{{/body}}><main>{{$main}}{{/main}}</main></body></html>
    """

  @Test("an operator's template replaces the built-in template, and an operator's text replaces the built-in text")
  func overrides() throws {
    var branding = Branding()
    try branding.overrides.add("sign-in.mustache", Array(Self.form.utf8))
    try branding.overrides.add("languages/en.json", Array(#"{"home.not-signed-in": "Nobody is signed in"}"#.utf8))
    try branding.overrides.validate()
    let pages = Pages(serverName: "Example", branding: branding)
    let signIn = pages.signIn(SignInPage(appName: "Notes", action: "/a?b", csrfToken: "t"))
    #expect(signIn.contains("<h1>Hello</h1>") && signIn.contains("action=\"/a?b\"") && signIn.contains("value=\"t\""))
    #expect(pages.home(HomePage()).contains("<h1>Nobody is signed in</h1>"))
  }

  @Test(
    "a template that would break or endanger a page is rejected",
    arguments: [
      ("sign-in.mustache", Self.form + "{{secret}}", "contains the tag {{secret}}"),
      ("sign-in.mustache", Self.form + "{{{username}}}", "contains \"{{{\""),
      ("passkey.mustache", PageTemplate.passkey.source + "{{{username}}}", "contains \"{{{\""),
      ("sign-in.mustache", Self.form + "{{&username}}", "contains \"{{&\""),
      ("sign-in.mustache", Self.form + "{{% CONTENT_TYPE: TEXT}}", "contains \"{{%\""),
      ("sign-in.mustache", Self.form + "<SCRIPT>x</SCRIPT>", "contains a script"),
      ("unknown.mustache", "x", "does not have the name of a built-in template"), ("notes.txt", "x", "is neither"),
      ("languages/tlh.json", "{}", "does not have the tag"), ("languages/de.json", "[]", "is invalid"),
      ("languages/de.json", #"{"error-title": "{name}"}"#, "whose arguments or plurals"),
      ("languages/ar.json", #"{"waiting.seconds": "{count, plural, one {a} other {b}}"}"#, "whose plural categories"),
    ])
  func invalid(_ path: String, _ content: String, _ problem: String) {
    var overrides = BrandOverrides()
    let error = #expect(throws: BrandingError.self) { try overrides.add(path, Array(content.utf8)) }
    #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
  }

  /// The name of a template, its content, and text that the error must contain.
  private static let incompleteTemplates: [(String, String, String)] = [
    ("sign-in", "", #"the attribute lang="en""#),
    ("sign-in", Self.form.replacing("name=\"csrf\"", with: ""), #"name="csrf" value="{{csrfToken}}" in the form"#),
    ("sign-in", Self.form.replacing("{{csrfToken}}", with: "{{username}}"), #"name="csrf" value="{{csrfToken}}""#),
    ("sign-in", Self.form.replacing("post", with: "get"), #"a form with action="{{action}}" method="post""#),
    ("sign-in", Self.form.replacing("<form", with: "{{#webView}}<form"), "is invalid"),
    (
      "sign-in", Self.form.replacing("<form", with: "{{#failure}}<form").replacing("</form>", with: "</form>{{/failure}}"),
      "a form with"
    ),
    ("sign-in", Self.form.replacing("<form", with: "<!-- <form").replacing("</form>", with: "</form> -->"), "a form with"),
    (
      "sign-in", Self.form.replacing("<form", with: "<template><form").replacing("</form>", with: "</form></template>"),
      "a form with"
    ),
    ("sign-in", Self.form.replacing(#"<input name="password">"#, with: ""), #"name="password" in the form"#),
    ("sign-in", Self.form.replacing(#"<input name="password">"#, with: "") + #"<input name="password">"#, #"name="password""#),
    ("sign-in", Self.form.replacing("<button ", with: "<button type=\"button\" "), #"name="upstream" value="{{id}}""#),
    ("sign-in", Self.form.replacing("{{> passkey}}", with: ""), #"data-kind="get""#),
    ("sign-in", Self.form.replacing("{{$main}}", with: "").replacing("{{/main}}", with: ""), "is invalid"),
    ("consent", Self.consent, #"name="decision" value="allow" in the form"#), ("passkey", "", #"id="passkey""#),
    (
      "passkey",
      PageTemplate.passkey.source.replacing("id=\"passkey-status\"", with: ""), #"an element with id="passkey-status""#
    ),
    ("passkey", PageTemplate.passkey.source.replacing("{{{script}}}", with: ""), "its script once"),
    ("layout", Self.layout.replacing("{{$main}}{{/main}}", with: ""), "a form with"),
    ("layout", Self.layout.replacing("main>", with: "div>"), "an element <main>"),
    ("layout", Self.layout.replacing("[[@language]]", with: "en"), #"the attribute lang="ar""#),
    ("layout", Self.layout.replacing(#" dir="[[@direction]]""#, with: ""), #"the attribute dir="ltr""#),
    ("layout", Self.layout.replacing("{{$title}}{{/title}}", with: " "), "a title"),
    ("layout", Self.layout.replacing("stylesheet", with: "icon"), "the style sheet /assets/style-"),
  ]

  @Test("a template with a syntax error is rejected, and the error names the line and the problem")
  func syntaxError() throws {
    var overrides = BrandOverrides()
    try overrides.add("sign-in.mustache", Array("<h1>\n<p>{{failure</p>\n".utf8))
    let error = #expect(throws: BrandingError.self) { try overrides.validate() }
    let problem = "line 2: a tag is not closed, or its name is invalid"
    #expect(error?.problem == "sign-in.mustache is invalid in the language en: \(problem)")
  }

  @Test(
    "a template is rejected if a page that it is part of would not work, and the error says which part the page lacks",
    arguments: Self.incompleteTemplates)
  func incomplete(_ name: String, _ content: String, _ problem: String) throws {
    var overrides = BrandOverrides()
    try overrides.add("\(name).mustache", Array(content.utf8))
    let error = #expect(throws: BrandingError.self) { try overrides.validate() }
    #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
    #expect(error?.problem.contains("\(name).mustache") == true)
  }

  @Test("a layout of the operator is accepted, and so are the built-in templates and texts")
  func complete() throws {
    var overrides = BrandOverrides()
    try overrides.add("layout.mustache", Array(Self.layout.utf8))
    try overrides.validate()
    // The names of HTML tags can be in uppercase letters.
    try overrides.add("layout.mustache", Array(Self.layout.replacing("title>", with: "TITLE>").utf8))
    try overrides.validate()
    for template in PageTemplate.allCases {
      try overrides.add("\(template.rawValue).mustache", Array(template.source.utf8))
    }
    for language in PageCatalogs.languages {
      let file = try #require(EmbeddedFiles.http["Languages/\(language.tag).json"])
      try overrides.add("languages/\(language.tag).json", Array(file))
    }
    try overrides.validate()
  }

  @Test("the sample values show every form, field, and button of the built-in templates")
  func samples() {
    // Like most sample values, the server name is the tag that shows it. The validation of templates also uses it.
    let samples = TemplateSamples(pages: Pages(serverName: "{{site.name}}"))
    let shown = PageTemplate.allCases.flatMap { samples.html(of: $0) }.joined()
    for template in PageTemplate.allCases {
      for tag in template.source.matches(of: /<(?:form|input|button|select)[^>]*>/).map({ $0.0 }) {
        let parts = tag.matches(of: /(?:name|action)="[^"]*"/).map { String($0.0) }
        #expect(parts.allSatisfy { shown.contains($0) }, "\(template.rawValue): \(tag)")
      }
    }
  }

  @Test(
    "a template with an unknown token or an unclosed tag is rejected before a page is shown",
    arguments: ["[[missing]]", "{{#failure}}"])
  func invalidTokens(_ addition: String) throws {
    var overrides = BrandOverrides()
    try overrides.add("sign-in.mustache", Array((Self.form + addition).utf8))
    #expect(throws: BrandingError.self) { try overrides.validate() }
  }

  @Test("all keys without an English text are reported, each with its file")
  func unknownKeys() throws {
    var overrides = BrandOverrides()
    try overrides.add("sign-in.mustache", Array((Self.form + "[[own.b]] [[own.a]] [[own.english]] [[@language]]").utf8))
    try overrides.add("languages/de.json", Array(#"{"own.a": "A", "home.titel": "Start", "home.title": "Start"}"#.utf8))
    try overrides.add("languages/fr.json", Array(#"{"own.english": "E", "own.c": "C"}"#.utf8))
    try overrides.add("languages/en.json", Array(#"{"own.english": "E"}"#.utf8))
    let error = #expect(throws: BrandingError.self) { try overrides.validate() }
    let keys =
      #""home.titel", "own.a" (languages/de.json); "own.c" (languages/fr.json); "own.a", "own.b" (sign-in.mustache)"#
    #expect(error?.problem == "these keys are neither built in nor in languages/en.json: \(keys)")
    let english = #"{"own.english": "E", "own.a": "A", "own.b": "B", "own.c": "C", "home.titel": "Start"}"#
    try overrides.add("languages/en.json", Array(english.utf8))
    try overrides.validate()
  }

  @Test(
    "a logo is a small SVG image without scripts or references, or a PNG image",
    arguments: [
      ("<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0\"/></svg>", true), ("<svg><script>x</script></svg>", false),
      ("<svg onload=\"x\"></svg>", false), ("<svg><a href=\"javascript:x\"/></svg>", false),
      ("<svg><image href=\"//a.example\"/></svg>", false),
      ("<!DOCTYPE svg [<!ENTITY x \"y\">]><svg/>", false), ("<svg><foreignObject/></svg>", false), ("<html></html>", false),
      ("", false),
      ("<svg>" + String(repeating: " ", count: 70_000), false), ("<svg/onload=x>", false),
      ("<svg><linearGradient id=\"a\"/></svg>", true),
    ])
  func logo(_ text: String, isAccepted: Bool) {
    #expect(((try? BrandLogo(Array(text.utf8))) != nil) == isAccepted)
    // A PNG image begins with these eight bytes.
    #expect((try? BrandLogo([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0])) != nil)
  }

  @Test("the pages show the logo, the colors, and the links of the operator")
  func look() throws {
    var branding = Branding()
    branding.logo = try BrandLogo(Array("<svg/>".utf8))
    branding.colors = (light: try #require(BrandColor("#0b5394")), dark: try #require(BrandColor("#9fc5e8")))
    branding.links = [Branding.Link(.privacy, address: "https://example.com/privacy?a=1&b=2")]
    let pages = Pages(serverName: "Example", basePath: "/tenant", branding: branding)
    let html = pages.home(HomePage())
    let style = branding.styleSheet
    #expect(style.path != Asset.styleSheet.path && html.contains("href=\"/tenant\(style.path)\""))
    #expect(String(decoding: style.bytes, as: UTF8.self).contains("--accent:#0b5394"))
    #expect(html.contains("<img src=\"/tenant/assets/logo-") && !html.contains("<svg"))
    #expect(
      html.contains(
        "<a href=\"https://example.com/privacy?a=1&amp;b=2\" rel=\"noreferrer noopener\" target=\"_blank\">Privacy policy</a>"))
    #expect(pages.assets.count == 3)
    #expect(!Pages(serverName: "Example").home(HomePage()).contains("<footer>"))
  }

  @Test(
    "the contrast of a color with each scheme's background is the ratio that WCAG defines",
    arguments: [("#000000", 20.6, 1.2), ("#ffffff", 1.0, 16.3), ("#1d5c4d", 7.7, 2.1)])
  func contrast(_ text: String, light: Double, dark: Double) throws {
    let color = try #require(BrandColor(text))
    #expect(abs(color.contrast(in: .light) - light) < 0.3 && abs(color.contrast(in: .dark) - dark) < 0.3)
    #expect(color.text == text)
  }

  @Test(
    "a color is a number sign and six hexadecimal digits",
    arguments: ["", "#fff", "1d5c4d0", "#1d5c4g", "#+12345", "red", "#1d5c4d "])
  func malformedColor(_ text: String) {
    #expect(BrandColor(text) == nil)
  }
}
