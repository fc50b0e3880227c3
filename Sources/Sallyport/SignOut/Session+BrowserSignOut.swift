import SallyportProtocol
import SallyportRemote

extension Session {
  /// Ends the session as ``signOut()`` does, and opens the server's page that ends the person's session in the browser as well.
  ///
  /// Without that page the next sign-in may need no password. The page is opened last: being signed out here does not depend on it.
  /// - Throws: ``SessionError/store(_:)``
  @discardableResult
  public func signOut(
    _ browserSignOut: BrowserSignOut = BrowserSignOut(), via userAgent: some UserAgent
  ) async throws(SessionError) -> BrowserSignOutOutcome {
    // Before the tokens are gone, since one of them is the hint.
    let url = try? await self.endSessionURL(browserSignOut)
    let tokens = try await self.signOut()
    guard let url else { return BrowserSignOutOutcome(tokens: tokens, page: .notOffered) }
    do {
      try await userAgent.open(url)
      return BrowserSignOutOutcome(tokens: tokens, page: .opened)
    } catch {
      return BrowserSignOutOutcome(tokens: tokens, page: .notOpened(error))
    }
  }

  /// The URL of the server's page that ends the person's session in the browser, for an app that opens it by itself, before
  /// ``signOut()``.
  /// - Returns: nil where the server has no such page.
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
