#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  import AuthenticationServices
  import Foundation
  import SallyportProtocol

  /// One sign-in or sign-out in the system's authentication tab.
  @MainActor
  final class TabRun: NSObject, ASWebAuthenticationPresentationContextProviding {
    private enum Outcome: Sendable {
      case callback(String)
      case dismissed
      case failed(reason: String)
    }

    static let program = "ASWebAuthenticationSession"
    /// The wait fails after this number of callbacks that are not the response.
    private static let maximumRejected = 3

    private let callback: ASWebAuthenticationSession.Callback
    private let cookies: WebAuthenticationTab.Cookies
    private let anchor: @MainActor () -> ASPresentationAnchor
    private let outcomes: AsyncStream<Outcome>
    private let outcomeContinuation: AsyncStream<Outcome>.Continuation
    private var page: URL?
    private var session: ASWebAuthenticationSession?

    init(
      callback: ASWebAuthenticationSession.Callback, cookies: WebAuthenticationTab.Cookies,
      anchor: @escaping @MainActor () -> ASPresentationAnchor
    ) {
      self.callback = callback
      self.cookies = cookies
      self.anchor = anchor
      (self.outcomes, self.outcomeContinuation) = AsyncStream.makeStream()
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
      self.anchor()
    }

    func present(_ page: URL) throws(UserAgentError) {
      let continuation = self.outcomeContinuation
      // The closure must be @Sendable because the system may call it on any thread. Without this attribute, the closure
      // would be isolated to the main actor and would trap on another thread.
      let session = ASWebAuthenticationSession(url: page, callback: self.callback) { @Sendable url, error in
        continuation.yield(Self.outcome(url, error))
      }
      session.prefersEphemeralWebBrowserSession = self.cookies == .ephemeral
      session.presentationContextProvider = self
      guard session.start() else { throw .failed(program: Self.program, reason: "the system did not show the tab") }
      self.page = page
      self.session = session
    }

    /// Waits for the callback whose URL `accepts` recognizes as the response.
    ///
    /// A page in the tab can cause other callbacks, which close the tab. The page is then shown again and the wait
    /// continues (rule C-16), until there have been ``maximumRejected`` such callbacks.
    func response(accepts: @Sendable (String) -> Bool) async throws -> ReceivedRedirect {
      var rejectedCount = 0
      for await outcome in self.outcomes {
        switch outcome {
        case .callback(let url):
          // The system has already closed the tab, so there is no browser to which a last page could be sent.
          if accepts(url) { return ReceivedRedirect(callbackURL: Secret(url)) { _ in } }
          rejectedCount += 1
          guard rejectedCount < Self.maximumRejected, let page = self.page else {
            throw RedirectReceiverError.failed(reason: "the page caused too many redirects that are not the expected response")
          }
          try self.present(page)
        case .dismissed: throw RedirectReceiverError.dismissed
        case .failed(let reason): throw RedirectReceiverError.failed(reason: reason)
        }
      }
      // The stream ends only when this task is canceled or `close()` is called.
      throw CancellationError()
    }

    /// Closes the tab if it is still open.
    func close() {
      self.outcomeContinuation.finish()
      self.session?.cancel()
      self.session = nil
    }

    /// Maps the tab's result. A `canceledLogin` always means that the user closed the tab: after the app closes the
    /// tab, outcomes are no longer read.
    private nonisolated static func outcome(_ url: URL?, _ error: (any Error)?) -> Outcome {
      if let url { return .callback(url.absoluteString) }
      guard let error = error as? ASWebAuthenticationSessionError else { return .failed(reason: "the tab reported no reason") }
      return switch error.code {
      case .canceledLogin: .dismissed
      case .presentationContextNotProvided, .presentationContextInvalid: .failed(reason: "the window cannot show the tab")
      default: .failed(reason: "the tab failed with code \(error.code.rawValue)")
      }
    }
  }
#endif
