#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices
  import Foundation
  public import SallyportProtocol

  /// The system's in-app browser tab, `ASWebAuthenticationSession`: opens the page and receives its redirect (RFC 8252 Appendix B.1
  /// and B.4).
  ///
  /// The tab is an external user-agent: the app hands over a URL and gets a callback, and sees neither page nor cookies. Pass the
  /// same tab as both parts of a sign-in:
  ///
  ///     let tab = WebAuthenticationTab(redirectURI: redirectURI, cookies: .shared) { window }
  ///     let session = try await client.signIn(scopes: [.openID], via: tab, receiver: tab)
  ///
  /// One sign-in at a time. There is no tab on tvOS and watchOS; sign in there by device authorization (RFC 8628).
  @MainActor
  public final class WebAuthenticationTab: UserAgent, RedirectReceiver {
    /// Whose cookies the page sees.
    public enum Cookies: Sendable {
      /// The person's browser's: who is signed in there need not sign in again.
      case shared
      /// Nobody's, and nothing is kept.
      case ephemeral
    }

    private let redirectURI: RedirectURI
    private let cookies: Cookies
    private let anchor: @MainActor () -> ASPresentationAnchor
    private var run: TabRun?

    /// - Parameters:
    ///   - redirectURI: an `https` URI that the app claims (its association file names the app under `webcredentials`), or one
    ///     with a private-use scheme.
    ///   - cookies: whose cookies the page sees.
    ///   - anchor: the window that the tab belongs to, asked for when it opens.
    public init(
      redirectURI: RedirectURI, cookies: Cookies = .shared, anchor: @escaping @MainActor () -> ASPresentationAnchor
    ) {
      self.redirectURI = redirectURI
      self.cookies = cookies
      self.anchor = anchor
    }

    /// - Throws: ``UserAgentError/failed(program:reason:)`` where the tab cannot be shown, or is not the receiver too.
    public func open(_ url: BrowserURL) async throws(UserAgentError) {
      guard let run = self.run else {
        throw .failed(program: TabRun.program, reason: "the tab must also be the receiver of this sign-in")
      }
      guard let page = URL(string: url.value) else { throw .failed(program: TabRun.program, reason: "not a URL") }
      try run.present(page)
    }

    /// - Throws: what `body` throws; ``RedirectReceiverError/dismissed`` where the person closed the tab.
    public func withRedirect<R: Sendable>(
      for issuer: Issuer, _ body: @Sendable (BoundRedirect) async throws -> R
    ) async throws -> R {
      guard self.run == nil else {
        throw RedirectReceiverError.cannotBind(reason: "this tab is signing somebody in already")
      }
      let run = TabRun(callback: try Self.callback(self.redirectURI), cookies: self.cookies, anchor: self.anchor)
      self.run = run
      defer {
        run.close()
        self.run = nil
      }
      return try await body(BoundRedirect(redirectURI: self.redirectURI) { try await run.response(accepts: $0) })
    }

    /// What the system has to wait for; whether a URL is the answer is decided by the sign-in.
    private static func callback(
      _ redirectURI: RedirectURI
    ) throws(RedirectReceiverError) -> ASWebAuthenticationSession.Callback {
      let parts = redirectURI.components
      switch redirectURI.kind {
      case .privateUse:
        return .customScheme(parts.scheme)
      case .https:
        guard let host = parts.host, parts.port == nil else { throw .cannotBind(reason: "an https redirect has no port here") }
        return .https(host: host, path: parts.path)
      case .loopback:
        throw .cannotBind(reason: "the tab takes https and private-use redirects, not loopback (RFC 8252 Appendix B.1)")
      }
    }
  }
#endif
