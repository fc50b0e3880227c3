import BrowserDriver
import Foundation

/// The user's actions on the server's pages.
extension Browser {
  enum Decision: String {
    case allow, deny
  }

  /// Fills in the sign-in page and presses Enter.
  func signIn(_ name: String, _ password: String) async throws {
    try await self.wait(for: "the sign-in page") { try await !$0.findAll("input[name=username]").isEmpty }
    try await self.clear("input[name=username]")
    try await self.type(name, into: "input[name=username]")
    try await self.type(password, into: "input[name=password]")
    try await self.pressEnter(in: "input[name=password]")
  }

  func signIn(_ account: ServerHome.Account) async throws {
    try await self.signIn(account.name, account.password)
  }

  /// Waits for the consent page, and clicks the button for the decision.
  func decide(_ decision: Decision) async throws {
    try await self.waitForConsent()
    try await self.click("button[name=decision][value=\(decision.rawValue)]")
  }

  func waitForConsent() async throws {
    try await self.wait(for: "the consent page") { try await !$0.findAll("button[name=decision]").isEmpty }
  }

  /// Waits until the browser navigates to a URL with this prefix, and returns the URL. The page need not load, so the
  /// URL can be a redirect URI that only an app handles.
  func waitForNavigation(to prefix: String) async throws -> String {
    try await eventually("the browser to navigate to \(prefix)…") {
      try await self.takeNavigations().first { $0.hasPrefix(prefix) }
    }
  }
}

/// Starts a browser without cookies, and saves a screenshot of its page after `body`. If `body` fails, the error also
/// contains the page's text.
func withTestBrowser<R>(
  _ name: String, options: BrowserOptions = BrowserOptions(), isolation: isolated (any Actor)? = #isolation,
  _ body: (Browser) async throws -> R
) async throws -> R {
  try await withBrowser(options) { browser in
    do {
      let result = try await body(browser)
      try await keepScreenshot(of: browser, name)
      return result
    } catch {
      let url = (try? await browser.currentURL) ?? "?"
      let text = (try? await browser.text) ?? "?"
      try? await keepScreenshot(of: browser, name)
      throw UnexpectedResult("\(error)\n-- the page \(name).png at \(url.prefix { $0 != "?" }) showed:\n\(text)")
    }
  }
}

func keepScreenshot(of browser: Browser, _ name: String) async throws {
  try await Data(browser.screenshot).write(to: BuildFolder.screenshots().appending(path: "\(name).png"))
}
