import SallyportProtocol
import Synchronization

extension OAuthSession {
  /// Ends the session as ``signOut(_:via:)`` does, and waits until the server redirects the browser back to the app
  /// (OpenID Connect RP-Initiated Logout 1.0 §3), so that the user sees a page that confirms the sign-out.
  ///
  /// Register the receiver's URI with the server in `post_logout_redirect_uris`. If the receiver cannot be bound, the
  /// server's sign-out page is opened without waiting for the redirect. That page is never opened twice. The local
  /// sign-out happens even if the page cannot be opened or no redirect arrives.
  /// - Parameters:
  ///   - receiver: Waits for the redirect. Requests without the `state` of this sign-out are rejected.
  ///   - limit: How long the user may take.
  /// - Throws: ``SessionError/store(_:)``, ``SessionError/readOnly`` if the session only reads stored tokens, or
  ///   ``SessionError/cancelled`` if the task is canceled before the sign-out begins.
  @discardableResult
  public func signOut(
    _ browserSignOut: BrowserSignOut = BrowserSignOut(), via userAgent: some UserAgent,
    returningTo receiver: some RedirectReceiver, within limit: Duration = .seconds(300)
  ) async throws(SessionError) -> BrowserSignOutOutcome {
    // If there is no page to open, don't bind the receiver.
    guard (try? await self.endSessionURL(browserSignOut)) != nil else {
      return try await self.signOut(browserSignOut, via: userAgent)
    }
    let ended = Mutex<Result<BrowserSignOutOutcome, SessionError>?>(nil)
    do {
      return try await receiver.withRedirect(for: self.client.server) { bound in
        let result = await self.result(of: browserSignOut, via: userAgent, bound, within: limit)
        ended.withLock { $0 = result }
        return try result.get()
      }
    } catch {
      // Once there is a result, an error thrown while the receiver closes doesn't change it.
      if let result = ended.withLock({ $0 }) { return try result.get() }
      if error is CancellationError { throw .cancelled }
      return try await self.signOut(browserSignOut, via: userAgent)
    }
  }

  /// Signs out and waits for the redirect.
  ///
  /// Unlike in a sign-in, the redirect URI is not reserved for one issuer (RFC 8252 §8.10), because the redirect
  /// contains nothing that could be sent to the wrong server.
  private func result(
    of browserSignOut: BrowserSignOut, via userAgent: some UserAgent, _ bound: BoundRedirect, within limit: Duration
  ) async -> Result<BrowserSignOutOutcome, SessionError> {
    let state = Secret(RandomText.base64URL(bits: 256))
    var browserSignOut = browserSignOut
    browserSignOut.postLogoutRedirectURI = bound.redirectURI
    browserSignOut.state = state.reveal()
    let outcome: BrowserSignOutOutcome
    do {
      outcome = try await self.signOut(browserSignOut, via: userAgent)
    } catch {
      return .failure(error)
    }
    guard outcome.browser == .opened else { return .success(outcome) }
    do {
      let receivedRedirect = try await bound.response(within: limit) { callbackURL in
        let parameters = try? AuthorizationResponse.parameters(of: callbackURL, on: bound.redirectURI)
        return parameters?["state"].map { Secret($0) } == state
      }
      await receivedRedirect.finish(.signedOut(appName: self.client.appName), uiLocales: browserSignOut.uiLocales)
      return .success(BrowserSignOutOutcome(tokens: outcome.tokens, browser: .returned))
    } catch {
      return .success(BrowserSignOutOutcome(tokens: outcome.tokens, browser: .init(error)))
    }
  }
}

extension BrowserSignOutOutcome.BrowserResult {
  /// The result if waiting for the redirect failed.
  fileprivate init(_ error: any Error) {
    switch error {
    case SignInError.timedOut: self = .timedOut
    case is CancellationError: self = .cancelled
    case RedirectReceiverError.dismissed: self = .dismissed
    case RedirectReceiverError.failed(let reason): self = .receiverFailed(reason: reason)
    default: self = .receiverFailed(reason: "\(type(of: error))")
    }
  }
}
