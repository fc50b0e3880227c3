#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices
  import SallyportProtocol

  extension [RedirectOption] {
    /// The redirect options of an app with a window: the system's authentication session and, if it cannot be shown,
    /// the user's default browser (RFC 8252 Appendix B.1 and B.4).
    ///
    /// ```swift
    /// import AuthenticationServices
    /// import Sallyport
    ///
    /// @MainActor
    /// func signIn(
    ///   _ client: OAuthClient, receiver: AppRedirectReceiver, in window: ASPresentationAnchor
    /// ) async throws -> OAuthSession {
    ///   try await client.signIn(SignInOptions(scopes: [.openID]), redirects: .automatic(receiver: receiver) { window })
    /// }
    /// ```
    /// - Parameters:
    ///   - receiver: Receives the redirect if the default browser is used. Pass it each URL that the system opens the
    ///     app with; see ``AppRedirectReceiver/deliver(_:)``. Its redirect URI has a private-use scheme, or is an
    ///     `https` URI that the app claims.
    ///   - cookies: Which cookies the page in the authentication session can use.
    ///   - anchor: Returns the window that the authentication session belongs to.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    public static func automatic(
      receiver: AppRedirectReceiver, cookies: WebAuthenticationTab.Cookies = .shared,
      anchor: @escaping @MainActor () -> ASPresentationAnchor
    ) -> [RedirectOption] {
      let tab = WebAuthenticationTab(redirectURI: receiver.redirectURI, cookies: cookies, anchor: anchor)
      return [
        .redirect(to: receiver.redirectURI, via: tab, receiver: tab),
        .redirect(to: receiver.redirectURI, via: DefaultBrowser(), receiver: receiver),
      ]
    }
  }
#endif
