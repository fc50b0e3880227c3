import BrowserDriver
import Sallyport
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signs in as the demo user with a passkey in headless Chromium, and takes screenshots of ``pages``.
struct HeadlessUser: UserAgent {
  /// The names of the screenshots, without the extension.
  static let pages = ["1-account", "2-sign-in", "3-consent", "4-last-page"]

  private let browser: Browser
  /// The folder for the screenshots.
  private let folder: String
  private let urls: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(browser: Browser, folder: String) {
    self.browser = browser
    self.folder = folder
    (self.urls, self.continuation) = AsyncStream.makeStream(of: String.self)
  }

  /// Passes the URL to ``run()``, which opens it in the browser.
  func open(_ url: BrowserURL) async throws(UserAgentError) {
    self.continuation.yield(url.value)
    self.continuation.finish()
  }

  /// Signs in on the account page with the password, adds a passkey, and signs out.
  func addPasskey(as user: DemoUser, at issuer: String) async throws {
    try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    _ = try await self.browser.addAuthenticator()
    try await self.browser.open("\(issuer)/account")
    try await self.browser.type(DemoUser.username, into: "input[name=username]")
    try await self.browser.type(user.password.reveal(), into: "input[name=password]")
    try await self.browser.pressEnter(in: "input[name=password]")
    try await self.browser.wait(for: "the account page") { try await $0.isVisible("button[value=add-passkey]") }
    try await self.browser.click("button[value=add-passkey]")
    try await self.browser.wait(for: "the new passkey") { try await $0.text.contains("The passkey was added.") }
    try await self.browser.click("main a[href$='/account']")
    try await self.browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
    try await self.saveScreenshot(as: Self.pages[0])
    try await self.browser.click("form[action$='/sign-out'] button")
    try await self.browser.wait(for: "the sign-out") { try await $0.text.contains("signed out") }
  }

  /// Waits for the URL of the authorization request, opens it, signs in with the passkey, and consents.
  func run() async throws {
    guard let url = await self.urls.first(where: { _ in true }) else { return }
    try await self.browser.open(url)
    try await self.browser.wait(for: "the button for a passkey") { try await $0.isVisible("button[value=passkey]") }
    try await self.saveScreenshot(as: Self.pages[1])
    try await self.browser.click("button[value=passkey]")
    try await self.browser.wait(for: "the consent page") { try await !$0.findAll("button[value=allow]").isEmpty }
    try await self.saveScreenshot(as: Self.pages[2])
    try await self.browser.click("button[value=allow]")
    try await self.browser.wait(for: "the app's last page") { try await $0.currentURL.contains("/oauth2redirect/") }
    try await self.saveScreenshot(as: Self.pages[3])
  }

  private func saveScreenshot(as page: String) async throws {
    try Data(try await self.browser.screenshot).write(to: URL(fileURLWithPath: "\(self.folder)/\(page).png"))
  }
}
