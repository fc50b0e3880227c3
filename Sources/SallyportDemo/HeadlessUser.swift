import BrowserDriver
import Sallyport
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signs in as the demo user with headless Chromium, and takes a screenshot of each page.
struct HeadlessUser: UserAgent {
  static let pages = ["1-sign-in", "2-consent", "3-last-page"]

  let user: DemoUser
  /// The folder for the screenshots.
  let folder: String
  private let urls: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(user: DemoUser, folder: String) {
    self.user = user
    self.folder = folder
    (self.urls, self.continuation) = AsyncStream.makeStream(of: String.self)
  }

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    self.continuation.yield(url.value)
    self.continuation.finish()
  }

  /// Waits for the URL, opens it, signs in, and consents.
  func run() async throws {
    guard let url = await self.urls.first(where: { _ in true }) else { return }
    try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    try await withBrowser { browser in
      try await browser.open(url)
      try await self.saveScreenshot(of: browser, as: Self.pages[0])
      try await browser.type(DemoUser.username, into: "input[name=username]")
      try await browser.type(self.user.password.reveal(), into: "input[name=password]")
      try await browser.pressEnter(in: "input[name=password]")
      try await browser.wait(for: "the consent page") { try await !$0.findAll("button[value=allow]").isEmpty }
      try await self.saveScreenshot(of: browser, as: Self.pages[1])
      try await browser.click("button[value=allow]")
      try await browser.wait(for: "the app's last page") { try await $0.currentURL.contains("/oauth2redirect/") }
      try await self.saveScreenshot(of: browser, as: Self.pages[2])
    }
  }

  private func saveScreenshot(of browser: Browser, as page: String) async throws {
    try Data(try await browser.screenshot).write(to: URL(fileURLWithPath: "\(self.folder)/\(page).png"))
  }
}
