import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportHTTP

@Suite("Embedded web views")
struct WebViewTests {
  private static let title = "<h1>Continue in your browser</h1>"
  private static let warning = "<strong>This page is shown inside an app"

  private static func browser(_ site: Site, _ name: String) throws -> TestBrowser {
    let sample = try #require(UserAgents.embedded.first { $0.name == name })
    return TestBrowser(site, headers: [.userAgent: sample.userAgent])
  }

  @Test("S-20: an embedded web view is recognized", arguments: UserAgents.embedded)
  func recognized(sample: UserAgents.Sample) { #expect(EmbeddedWebView.isNamed(by: sample.userAgent)) }

  @Test("S-20: a browser, a crawler, or an unknown program is not taken for an embedded web view", arguments: UserAgents.browsers)
  func passes(sample: UserAgents.Sample) { #expect(!EmbeddedWebView.isNamed(by: sample.userAgent)) }

  @Test("S-20: a one-time link that was opened in an embedded web view can be used in the browser instead")
  func link() async throws {
    try await withSite { site in
      let link = try await site.fixture.server.accountLinks.reset("ada", isMailed: false).reveal()
      let path = String(link.dropFirst("https://id.example".count))
      let page = try await Self.browser(site, "Facebook on Android").open(path)
      let address = try #require(page.body.firstMatch(of: /value="(https:\/\/id\.example\/account\/link\?token=[^"]*)"/)).1
      #expect(page.status == .forbidden && address == link)
      #expect(try await TestBrowser(site).open(path).body.contains(#"value="continue""#))
    }
  }

  @Test("S-20: the sign-in is blocked in an embedded web view, and continues at the same request in the browser")
  func carriesOver() async throws {
    try await withSite { site in
      let embedded = try Self.browser(site, "Facebook on Android")
      let request = AuthorizeParameters(.claimedHTTPS)
      let page = try await embedded.authorize(request)
      #expect(page.status == .forbidden && page.body.contains(Self.title) && !page.isSignInPage)
      let address = try #require(page.body.firstMatch(of: /value="(https:\/\/id\.example\/interaction\?i=[^"]*)"/)).1
      #expect(page.body.contains(#"href="intent://id.example/interaction?i="#))
      // The address contains the interaction but no session, so a browser without cookies can continue, but must sign
      // in.
      let browser = TestBrowser(site)
      let signIn = try await browser.open(String(address))
      #expect(signIn.isSignInPage && !signIn.body.contains(Self.warning))
      let consent = try await browser.signIn(signIn)
      let response = try await browser.decide(consent, "allow")
      #expect(response.parameters["state"] == request["state"] && response.parameters["code"] != nil)
    }
  }

  @Test("S-20: forms of the sign-in are not accepted from an embedded web view either")
  func forms() async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters(.claimedHTTPS))
      let embedded = try Self.browser(site, "Instagram")
      let fields = [("csrf", try #require(page.csrf)), ("username", "ada"), ("password", TestServer.password)]
      let reply = try await embedded.post(try #require(page.formAction), fields)
      #expect(reply.status == .forbidden && reply.body.contains(Self.title) && embedded.cookies["__Host-sallyport"] == nil)
    }
  }

  @Test("the sign-ins for a device and for the account page are blocked too")
  func otherPages() async throws {
    try await withSite { site in
      let embedded = try Self.browser(site, "WKWebView")
      let account = try await embedded.open("/account")
      #expect(account.status == .forbidden && account.body.contains(#"value="https://id.example/account""#))
      // The policy of an app does not apply to the account page, even if its address contains the app's interaction.
      var client = try TestClient.claimedHTTPS.record
      client.details.webViews = .off
      try await site.add(client)
      let sealed = try #require(try await embedded.authorize(AuthorizeParameters(.claimedHTTPS)).sealedInteraction)
      #expect(try await embedded.open("/account?i=\(sealed)").status == .forbidden)
      let code = try await site.beginDevice().userCode
      // The user has entered the code in the browser, and opens the next page in the web view.
      let browser = TestBrowser(site)
      let form = try await browser.open("/device")
      let fields = [("csrf", try #require(form.csrf)), ("user_code", code)]
      let next = try #require(try await browser.post("/device", fields).location)
      let device = try await embedded.open(next)
      #expect(device.status == .forbidden && device.body.contains("https://id.example/device/confirm?d="))
      #expect(try await embedded.open("/device").body.contains(#"value="https://id.example/device""#))
      // The link that opens the browser exists only on Android.
      #expect(!account.body.contains("intent:") && !device.body.contains("intent:"))
    }
  }

  @Test(
    "the policy of a client replaces that of the server",
    arguments: [
      (WebViewPolicy.block, WebViewPolicy.warn, WebViewPolicy.warn), (.block, .off, .off), (.off, nil, .off),
      (.warn, .block, .block),
    ] as [(WebViewPolicy, WebViewPolicy?, WebViewPolicy)])
  func policies(ofServer server: WebViewPolicy, ofClient policy: WebViewPolicy?, expected: WebViewPolicy) async throws {
    try await withSite(configure: { $0.webViews = server }) { site in
      var client = try TestClient.claimedHTTPS.record
      client.details.webViews = policy
      try await site.add(client)
      let embedded = try Self.browser(site, "Android WebView")
      let page = try await embedded.authorize(AuthorizeParameters(.claimedHTTPS))
      #expect(page.isSignInPage == (expected != .block) && page.body.contains(Self.warning) == (expected == .warn))
      guard expected == .warn else { return }
      let link = try #require(page.body.firstMatch(of: /href="(\/browser\?i=[^"]*)"/)).1
      let help = try await embedded.open(String(link))
      #expect(help.status == .ok && help.body.contains(Self.title) && help.body.contains("https://id.example/interaction?i="))
      #expect(try await embedded.signIn(page).isConsentPage)
    }
  }

  @Test("an intent: link contains the address but names no package, and does not exist for an http address")
  func intents() {
    let page = WebViewPage(address: "https://id.example/interaction?i=abc", isAndroid: true)
    let options = "scheme=https;action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE"
    #expect(page.intent == "intent://id.example/interaction?i=abc#Intent;\(options);end")
    #expect(WebViewPage(address: "http://localhost:8080/interaction?i=abc", isAndroid: true).intent == nil)
  }
}
