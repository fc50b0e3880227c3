import HTTPTestSupport
import SallyportHTTP
import Testing

@Suite("Escaping")
struct EscapingTests {
  static let hostile = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\" autofocus onfocus=\"alert(1)",
    // In the next four texts, a quote or bracket and the combining mark, joiner, or variation selector after it are one
    // Character, so code that compares Characters does not find the quote or bracket.
    "\"\u{301} autofocus onfocus=alert(1) x=",
    "\"\u{200D} onfocus=alert(1)",
    "\"\u{FE0F} onfocus=alert(1)",
    "'\u{20E3}>\u{338}<\u{338}script>",
    "</title><script>alert(1)</script>",
    "</form><form action=https://evil.example>",
    "<!-- ", "--><b>", "<![CDATA[", "]]>",
    "&lt;script&gt;", "&#60;script>",
    "{{csrfToken}}", "{{{action}}}", "{{/main}}", "{{% CONTENT_TYPE: TEXT}}",
    "\u{202E}gnp.exe", "\0<\u{0}script>", "a\r\nSet-Cookie: b", "\u{2028}<b>",
    String(repeating: "<", count: 400), String(repeating: "W", count: 5000),
  ]

  private static let harmless = SamplePages().all.map { Markup.skeleton(of: $0.html) }

  @Test("S-26: untrusted text stays text in every field of the sample pages", arguments: Self.hostile)
  func hostileText(_ text: String) {
    for (page, skeleton) in zip(SamplePages(untrusted: text, serverName: text).all, Self.harmless) {
      #expect(Markup.skeleton(of: page.html) == skeleton, "\(page.name)")
    }
  }

  @Test("the sign-in and consent forms contain their CSRF token and action unchanged", arguments: Self.hostile)
  func roundTrip(_ text: String) {
    let sample = SamplePages(untrusted: text)
    for html in [sample.pages.signIn(sample.signIn()), sample.pages.consent(sample.consent)] {
      let markup = Markup(html)
      #expect(markup.field("csrf")?["value"].map { Array($0.utf8) } == Array(text.utf8))
      #expect(markup.first("form")?["action"].map { Array($0.utf8).suffix(text.utf8.count) } == Array(text.utf8)[...])
    }
  }

  @Test("a page shows the longest valid user name completely")
  func longestUsername() {
    let sample = SamplePages()
    let name = String(repeating: "W", count: 127) + "1"
    var consent = sample.consent
    consent.username = name
    let signOut = SignOutPage(username: name, action: "/signout", csrfToken: "t", hasOtherAccounts: false)
    for html in [
      sample.pages.consent(consent), sample.pages.signOut(signOut), sample.pages.signedOut(SignedOutPage(username: name)),
      sample.pages.home(HomePage(username: name, signOutAction: "/signout", csrfToken: "t")),
    ] {
      #expect(html.contains(name))
    }
  }

  @Test("a prefilled user name is what the user typed", arguments: ["alice", "o'brien@example.com", "\"\u{301}a", "<b>&amp;"])
  func prefilled(_ text: String) {
    let pages = Pages(serverName: "Example")
    let page = SignInPage(appName: "Notes", username: text, action: "/", csrfToken: "t")
    #expect(Markup(pages.signIn(page)).field("username")?["value"] == text)
  }
}
