import Sallyport
import SallyportDesktop

/// Opens the sign-in page and prints a message. If no browser can be opened, the message asks the user to open the URL.
/// Without a terminal, or if the user's browser is not on this machine, ``open(_:)`` throws the error of
/// ``SystemBrowser`` instead.
struct AnnouncedBrowser: UserAgent {
  private let browser: SystemBrowser
  private let isOnThisMachine: Bool
  private let waiting: WaitingLine

  /// - Parameters:
  ///   - browser: Opens the page.
  ///   - isOnThisMachine: Whether a browser that the user opens runs on this machine, where the command waits for the
  ///     response.
  ///   - waiting: Shows how long the command waits.
  init(_ browser: SystemBrowser, isOnThisMachine: Bool, waiting: WaitingLine) {
    self.browser = browser
    self.isOnThisMachine = isOnThisMachine
    self.waiting = waiting
  }

  func open(_ url: BrowserURL) async throws(UserAgentError) {
    do {
      try await self.browser.open(url)
      Output.message("Opening \(url) in your browser. Sign in there within \(self.waiting.limit), or press Ctrl-C to cancel.")
    } catch {
      // Print the URL only to a terminal, because it must not appear in a log. The URL is useful only if the user's
      // browser can reach the receiver on this machine.
      guard Output.hasReader, self.isOnThisMachine else { throw error }
      Output.message("\(CommandFailure(error).message)\nOpen this page to sign in, or press Ctrl-C to cancel:\n\(url.value)")
    }
    self.waiting.begin("your sign-in in the browser")
  }
}
