import SallyportProtocol
import SallyportRemote

extension OAuthSession {
  /// Ends the session as ``signOut()`` does, and opens the server's page that also ends the user's browser session.
  ///
  /// If the browser session continues, the next sign-in may succeed without a password. The page is opened last, so
  /// that the app's session ends even if the page cannot be opened.
  /// - Throws: ``SessionError/store(_:)``, ``SessionError/readOnly`` if the session only reads stored tokens, or
  ///   ``SessionError/cancelled`` if the task is canceled before the sign-out begins.
  @discardableResult
  public func signOut(
    _ browserSignOut: BrowserSignOut = BrowserSignOut(), via userAgent: some UserAgent
  ) async throws(SessionError) -> BrowserSignOutOutcome {
    // Build the URL before the tokens are removed, because it contains the ID token.
    let url = try? await self.endSessionURL(browserSignOut)
    let tokens = try await self.signOut()
    guard let url else { return BrowserSignOutOutcome(tokens: tokens, browser: .notOffered) }
    do {
      try await userAgent.open(url)
      return BrowserSignOutOutcome(tokens: tokens, browser: .opened)
    } catch {
      return BrowserSignOutOutcome(tokens: tokens, browser: .notOpened(error))
    }
  }

  /// Returns the URL of the server's page that ends the user's browser session, for an app that opens the page itself
  /// before it calls ``signOut()``.
  /// - Returns: `nil` if the server has no such page.
  /// - Throws: ``SessionError``
  public func endSessionURL(_ browserSignOut: BrowserSignOut = BrowserSignOut()) async throws(SessionError) -> BrowserURL? {
    do {
      guard let endpoint = try await self.client.provider.endpoints().metadata.endSessionEndpoint else { return nil }
      return try browserSignOut.url(at: endpoint, clientID: self.clientID, idToken: self.idToken)
    } catch {
      throw SessionError(any: error)
    }
  }
}
