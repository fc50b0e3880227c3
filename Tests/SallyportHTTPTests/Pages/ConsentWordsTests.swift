import HTTPTestSupport
import SallyportHTTP
import SallyportProtocol
import Testing

@Suite("Text of the consent page")
struct ConsentWordsTests {
  let sample: SamplePages

  init() { self.sample = SamplePages() }

  private func html(_ change: (inout ConsentPage) -> Void) -> String {
    var page = self.sample.consent
    page.isVerified = true
    change(&page)
    return self.sample.pages.consent(page)
  }

  @Test(
    "S-26: the consent page and the sign-in page mark an app that registered itself as unverified, and no other app",
    arguments: [true, false])
  func unverified(_ isVerified: Bool) {
    #expect(self.html { $0.isVerified = isVerified }.contains("unverified") == !isVerified)
    #expect(self.sample.pages.signIn(self.sample.signIn(isVerified: isVerified)).contains("unverified") == !isVerified)
  }

  /// A document client is a client whose identifier is the URL of its metadata document.
  @Test("S-26: a document client is shown with its document's host, which is never truncated")
  func documentHost() {
    let host = String(repeating: "accounts.google.com.", count: 8) + "evil.example"
    var signIn = self.sample.signIn()
    signIn.documentHost = host
    let consent = self.html {
      $0.isVerified = false
      $0.documentHost = host
    }
    for html in [consent, self.sample.pages.signIn(signIn)] {
      #expect(html.contains("Published by <code class=\"host\"><bdi>\(host)</bdi></code>"))
    }
    #expect(consent.contains("come from <bdi>\(host)</bdi>") && !consent.contains("registered itself"))
    let registered = self.html { $0.isVerified = false }
    #expect(registered.contains("It registered itself") && !registered.contains("Published by"))
  }

  @Test("S-26: an unverified app never gets the short consent page of the operator's own apps")
  func noShortForm() {
    let html = self.html {
      $0.isVerified = false
      $0.isFirstParty = true
    }
    #expect(html.contains("Allow <bdi class=\"app\">Notes</bdi> to use your account?"))
    #expect(html.contains("unverified"))
    #expect(!html.contains("Continue as"))
  }

  @Test("the operator's own app gets the short page, which names the account and the port")
  func shortForm() {
    let html = self.html {
      $0.isFirstParty = true
      $0.username = "ada"
    }
    #expect(html.contains("Continue as <bdi>ada</bdi>"))
    #expect(html.contains("51234"))
  }

  @Test(
    "the page says where the response goes",
    arguments: [
      (Destination.thisComputer(port: 51234), "A program on this computer, at port 51234<"),
      (.thisComputer(port: nil), "A program on this computer<"),
      (.app(scheme: "com.example.notes"), "opens <code><bdi>com.example.notes:</bdi></code> links"),
      (.website(host: "notes.example.com"), "The website <code><bdi>notes.example.com</bdi></code>"),
      (.website(host: String(repeating: "a.", count: 120) + "evil.example"), "a.evil.example</bdi>"),
    ])
  func destination(_ destination: Destination, words: String) {
    #expect(self.html { $0.destination = destination }.contains(words))
  }

  @Test("the page says why the user is asked again, with a different text for each reason")
  func reasons() {
    let pages = ConsentReason.allCases.map { reason in self.html { $0.reason = reason } }
    #expect(pages.allSatisfy { $0.contains("Why you are asked") })
    #expect(Set(pages).count == ConsentReason.allCases.count)
    #expect(!self.html { $0.reason = nil }.contains("Why you are asked"))
  }

  @Test("the page describes a scope with a sentence if there is one, and otherwise with its name, and marks new scopes")
  func scopes() {
    let lines = ScopeLine.lines("openid offline_access notes:write", known: "openid")
    #expect(lines.map(\.isNew) == [false, true, true])
    let html = self.html { $0.scopes = lines }
    #expect(html.contains("<li>Know who you are</li>"))
    #expect(html.contains("<li>Keep access when you are away <span"))
    #expect(html.contains("<code><bdi>notes:write</bdi></code>"))
    #expect(html.ranges(of: "badge new").count == 2)
    #expect(ScopeLine.lines("openid email").allSatisfy { !$0.isNew })
    #expect(self.html { $0.scopes = [] }.contains("Know that you have an account here, and nothing else"))
  }

  @Test(
    "S-26: a name cannot hide, reverse, or cover other text",
    arguments: [
      ("", "an app without a name"),
      (" \u{200B}\u{3164}\u{2800}\n", "an app without a name"),
      ("\u{301}\u{302}", "an app without a name"),
      ("\u{202E}setoN", "setoN"),
      ("\u{2066}No\u{2069}tes\u{200F}", "Notes"),
      ("  No\ntes\t 2  ", "No tes 2"),
      ("No\u{0}te\u{AD}s\u{7}", "Notes"),
      ("e" + String(repeating: "\u{301}", count: 50), "e" + String(repeating: "\u{301}", count: 4)),
      (String(repeating: "W", count: 64), String(repeating: "W", count: 64)),
      (String(repeating: "W", count: 65), String(repeating: "W", count: 64) + "…"),
      (String(repeating: "W", count: 9000), String(repeating: "W", count: 64) + "…"),
      ("دفتر الملاحظات", "دفتر الملاحظات"),
      ("می\u{200C}خواهم", "می\u{200C}خواهم"),
      ("Notes 👩\u{200D}🚀", "Notes 👩\u{200D}🚀"),
    ])
  func names(_ name: String, shown: String) throws {
    let app = try #require(Markup(self.html { $0.appName = name }).elements.first { $0["class"] == "app" })
    #expect(Array(app.text.unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test("a sequence of joined emoji is truncated, although it is one character")
  func joinedChain() throws {
    let app = try #require(
      Markup(self.html { $0.appName = String(repeating: "👩\u{200D}", count: 3000) }).elements.first { $0["class"] == "app" })
    // The limits are 64 characters and four times as many scalars. The ellipsis is one more scalar.
    #expect(app.text.unicodeScalars.count <= 64 * 4 + 1)
  }
}
