#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices
  import Foundation
  public import SallyportProtocol
  public import SallyportRemote

  /// The system's in-app browser tab, `ASWebAuthenticationSession`: opens the page and receives its redirect (RFC 8252
  /// Appendix B.1 and B.4).
  ///
  /// The tab is an external user agent: the app passes a URL and gets a callback, but has no access to the page or its
  /// cookies. Pass the same tab as the user agent and as the receiver:
  ///
  /// ```swift
  /// import AuthenticationServices
  ///
  /// @MainActor
  /// func signIn(
  ///   _ client: OAuthClient, redirectURI: RedirectURI, in window: ASPresentationAnchor
  /// ) async throws -> OAuthSession {
  ///   let tab = WebAuthenticationTab(redirectURI: redirectURI, cookies: .shared) { window }
  ///   return try await client.signIn(scopes: [.openID], via: tab, receiver: tab)
  /// }
  /// ```
  ///
  /// A tab handles one sign-in at a time. This type is not available on tvOS and watchOS: use device authorization
  /// there (RFC 8628).
  @MainActor
  public final class WebAuthenticationTab: UserAgent, RedirectReceiver {
    /// Which cookies the page can use.
    public enum Cookies: Sendable {
      /// The cookies of the user's browser, so that a user with a session there need not sign in again.
      case shared
      /// No existing cookies; new cookies are discarded afterward.
      case ephemeral
    }

    private let redirectURI: RedirectURI
    private let cookies: Cookies
    private let anchor: @MainActor () -> ASPresentationAnchor
    /// The sign-in that uses the tab; `nil` if the tab is not in use.
    private var run: TabRun?

    /// Creates a tab for one redirect URI.
    /// - Parameters:
    ///   - redirectURI: A URI with a private-use scheme, or an `https` URI that the app claims (the domain's
    ///     `apple-app-site-association` file lists the app under `webcredentials`).
    ///   - cookies: Which cookies the page can use.
    ///   - anchor: Returns the window that the tab belongs to. Called when the tab opens.
    public init(
      redirectURI: RedirectURI, cookies: Cookies = .shared, anchor: @escaping @MainActor () -> ASPresentationAnchor
    ) {
      self.redirectURI = redirectURI
      self.cookies = cookies
      self.anchor = anchor
    }

    /// Opens the page in the tab.
    /// - Throws: ``UserAgentError/failed(program:reason:)`` if the tab cannot be shown, or is not also the receiver.
    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      guard let run = self.run else {
        throw .failed(program: TabRun.program, reason: "the same tab must also be the receiver of this sign-in")
      }
      try run.present(url.url)
    }

    /// Calls `body` with the redirect URI, and closes the tab in any case.
    /// - Throws: The error that `body` throws, such as ``RedirectReceiverError/dismissed`` if the user closed the tab,
    ///   or ``RedirectReceiverError/cannotBind(reason:)`` if the tab is in use or doesn't support the redirect URI.
    public func withRedirect<R: Sendable>(
      for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
    ) async throws -> R {
      guard self.run == nil else {
        throw RedirectReceiverError.cannotBind(reason: "this tab is already in use by another sign-in")
      }
      let run = TabRun(callback: try Self.callback(self.redirectURI), cookies: self.cookies, anchor: self.anchor)
      self.run = run
      defer {
        run.close()
        self.run = nil
      }
      return try await body(BoundRedirect(redirectURI: self.redirectURI) { try await run.response(accepts: $0) })
    }

    /// The redirect that the system waits for. The sign-in decides whether the received URL is the response.
    private static func callback(
      _ redirectURI: RedirectURI
    ) throws(RedirectReceiverError) -> ASWebAuthenticationSession.Callback {
      let parts = redirectURI.components
      switch redirectURI.kind {
      case .privateUse:
        return .customScheme(parts.scheme)
      case .https:
        guard let host = parts.host, parts.port == nil else {
          throw .cannotBind(reason: "the tab does not support an https redirect URI with a port")
        }
        return .https(host: host, path: parts.path)
      case .loopback:
        throw .cannotBind(reason: "the tab supports https and private-use redirects, not loopback (RFC 8252 Appendix B.1)")
      }
    }
  }
#endif
