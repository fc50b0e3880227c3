import BrowserDriver
import Sallyport
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Signs in as the demo user with headless Chromium, and takes a screenshot of each page.
struct HeadlessPerson: UserAgent {
  static let pages = ["1-sign-in", "2-consent", "3-last-page"]

  let person: DemoPerson
  let folder: String
  private let addresses: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(person: DemoPerson, folder: String) {
    self.person = person
    self.folder = folder
    (self.addresses, self.continuation) = AsyncStream.makeStream(of: String.self)
  }

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    self.continuation.yield(url.value)
    self.continuation.finish()
  }

  /// Waits for the address, opens it, and completes the pages.
  func run() async throws {
    guard let address = await self.addresses.first(where: { _ in true }) else { return }
    try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    try await withBrowser { browser in
      try await browser.open(address)
      try await self.keep(browser, Self.pages[0])
      try await browser.type(DemoPerson.username, into: "input[name=username]")
      try await browser.type(self.person.password.reveal(), into: "input[name=password]")
      try await browser.pressEnter(in: "input[name=password]")
      try await browser.wait(for: "the consent page") { try await !$0.findAll("button[value=allow]").isEmpty }
      try await self.keep(browser, Self.pages[1])
      try await browser.click("button[value=allow]")
      try await browser.wait(for: "the app's last page") { try await $0.currentURL.contains("/oauth2redirect/") }
      try await self.keep(browser, Self.pages[2])
    }
  }

  private func keep(_ browser: Browser, _ page: String) async throws {
    try Data(try await browser.screenshot).write(to: URL(fileURLWithPath: "\(self.folder)/\(page).png"))
  }
}
