public import Sallyport

/// Shows the URL to the user, who opens it in any browser on any machine.
public struct ManualBrowser: UserAgent {
  private let show: @Sendable (BrowserURL) -> Void

  /// Creates a user agent.
  /// - Parameter show: Shows the URL to the user. Don't log the URL, because it contains the request's state.
  public init(show: @escaping @Sendable (BrowserURL) -> Void) {
    self.show = show
  }

  public func open(_ url: BrowserURL) async throws(UserAgentError) {
    self.show(url)
  }
}
