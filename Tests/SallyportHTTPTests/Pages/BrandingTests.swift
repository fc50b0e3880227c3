import SallyportLanguages
import Testing

@testable import SallyportHTTP

@Suite("Branding")
struct BrandingTests {
  private static let form = """
    {{<layout}}{{$title}}x{{/title}}{{$main}}<h1>Hello</h1><form method="post" action="{{action}}">
    <input type="hidden" name="csrf" value="{{csrfToken}}"><input name="username"><input name="password">
    <input name="public-device"><button name="upstream" value="{{id}}">x</button></form>{{/main}}{{/layout}}
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
      ("sign-in.mustache", "", "must contain action=\"{{action}}\""),
      ("sign-in.mustache", Self.form.replacing("name=\"csrf\"", with: ""), "must contain name=\"csrf\""),
      ("sign-in.mustache", Self.form + "{{secret}}", "contains the tag {{secret}}"),
      ("sign-in.mustache", Self.form + "{{{username}}}", "contains \"{{{\""),
      ("sign-in.mustache", Self.form + "{{&username}}", "contains \"{{&\""),
      ("sign-in.mustache", Self.form + "{{% CONTENT_TYPE: TEXT}}", "contains \"{{%\""),
      ("sign-in.mustache", Self.form + "<SCRIPT>x</SCRIPT>", "contains a script"),
      ("consent.mustache", Self.form, "must contain name=\"decision\""),
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

  @Test("a template whose tokens or tags do not fit is found before a page is shown", arguments: ["[[missing]]", "{{#failure}}"])
  func invalidTokens(_ addition: String) throws {
    var overrides = BrandOverrides()
    try overrides.add("sign-in.mustache", Array((Self.form + addition).utf8))
    #expect(throws: BrandingError.self) { try overrides.validate() }
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
