import Sallyport
import SallyportDesktop

/// Opens the page and tells the person; where no browser is to be had, the person can open the page by hand.
struct TalkingBrowser: UserAgent {
  private let browser: SystemBrowser
  private let isHere: Bool

  /// - Parameter isHere: whether a browser that the person opens by hand runs on this machine, where the answer is waited for.
  init(_ browser: SystemBrowser, isHere: Bool) {
    self.browser = browser
    self.isHere = isHere
  }

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    do {
      try await self.browser.open(url)
      Output.talk("Your browser opens \(url). Sign in there; Ctrl-C cancels.")
    } catch {
      // Only a person can open a page by hand. The URL is for this person's terminal and not for a log.
      guard Output.hasReader, self.isHere else { throw error }
      Output.talk("\(error.words)\nOpen this page to sign in; Ctrl-C cancels:\n\(url.value)")
    }
  }
}
