public import Sallyport

/// A page that the person opens by hand, in a browser of their choice, on whichever machine.
public struct ShownPage: UserAgent {
  private let show: @Sendable (BrowserURL) -> Void

  /// - Parameter show: tells the person the address. It holds the request's state and is for this person's eyes, not for a log.
  public init(show: @escaping @Sendable (BrowserURL) -> Void) {
    self.show = show
  }

  public func open(_ url: BrowserURL) async throws(UserAgentError) {
    self.show(url)
  }
}
