import Sallyport
import SallyportDesktop

/// Opens the page and tells the person; where no browser is to be had, the person can open the page by hand.
struct TalkingBrowser: UserAgent {
  private let browser: SystemBrowser

  init(_ browser: SystemBrowser) {
    self.browser = browser
  }

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    do {
      try await self.browser.open(url)
      Output.talk("Your browser opens \(url). Sign in there; Ctrl-C cancels.")
    } catch {
      // Only a person can open a page by hand. The URL is for this person's terminal and not for a log.
      guard Output.hasReader else { throw error }
      Output.talk("\(error.words)\nOpen this page to sign in; Ctrl-C cancels:\n\(url.value)")
    }
  }
}
