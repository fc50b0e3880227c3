#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
import SallyportRemote

extension OAuthClient {
  /// Starts a sign-in whose response arrives through the operating system, possibly after this process has ended.
  ///
  /// The values that the response is checked against (verifier, state, nonce, redirect URI) are kept in the store. Open
  /// the returned URL, and pass the callback URL to ``resume(from:)``.
  /// - Parameters:
  ///   - options: The sign-in options. The timeout limits how long the sign-in can be resumed.
  ///   - redirectURI: The redirect URI as registered. A loopback URI must include the port to bind (RFC 8252 §7.3);
  ///     ``beginSignIn(_:receiver:)`` chooses one.
  /// - Throws: ``SignInError``; ``SignInError/receiver(_:)`` if the redirect doesn't work reliably on this platform.
  public func beginSignIn(_ options: SignInOptions, redirect redirectURI: RedirectURI) async throws(SignInError) -> BrowserURL {
    do {
      try redirectURI.checkReachesApp()
      if redirectURI.kind.option == .loopback, redirectURI.components.port == nil {
        throw SignInError.redirectPortMissing
      }
      let endpoints = try await self.provider.endpoints()
      try Task.checkCancellation()
      let pending = try self.makePendingSignIn(options, redirectURI: redirectURI, endpoints.metadata)
      let url = try await self.authorizationURL(for: pending, options, endpoints)
      try await SignInAttempt(client: self, pending: pending).begin()
      return url
    } catch {
      throw SignInError(any: error)
    }
  }

  /// Starts a sign-in whose response arrives through the operating system.
  /// - Throws: ``SignInError``
  public func beginSignIn(scopes: Scope, redirect redirectURI: RedirectURI) async throws(SignInError) -> BrowserURL {
    try await self.beginSignIn(SignInOptions(scopes: scopes), redirect: redirectURI)
  }

  /// Starts a sign-in with a redirect URI that `receiver` can bind. Finish it with ``resume(receiver:)`` in this or a
  /// later process.
  ///
  /// The receiver is bound only to find a free port, and is then closed until ``resume(receiver:)`` is called. If
  /// another program takes the port in the meantime, it receives a code that it cannot use without this app's verifier
  /// (RFC 7636 §1).
  /// - Throws: ``SignInError``
  public func beginSignIn(_ options: SignInOptions, receiver: some RedirectReceiver) async throws(SignInError) -> BrowserURL {
    let redirectURI: RedirectURI
    do {
      redirectURI = try await receiver.withRedirect(for: self.server) { $0.redirectURI }
    } catch {
      throw SignInError(any: error)
    }
    return try await self.beginSignIn(options, redirect: redirectURI)
  }

  /// Finishes a sign-in with the URL that the platform opened the app with (RFC 8252 §7).
  ///
  /// Each response is used once. The sign-in keeps waiting if the URL doesn't belong to it
  /// (``SignInError/response(_:)`` with `stateMismatch` or `wrongRedirectURI`), or if the server's metadata cannot be
  /// read.
  /// - Throws: ``SignInError``; ``SignInError/timedOut`` if the response arrives too late.
  public func resume(from callbackURL: URL) async throws(SignInError) -> OAuthSession {
    try await self.resume(from: callbackURL.absoluteString)
  }

  /// Finishes a sign-in with the text of a callback URL, which need not be valid.
  package func resume(from callbackURL: String) async throws(SignInError) -> OAuthSession {
    do {
      let pending = try await self.pendingSignIn(for: callbackURL)
      let endpoints = try await self.provider.endpoints()
      let client = self.with(account: pending.account)
      let attempt = SignInAttempt(client: client, pending: pending)
      return try await attempt.run {
        // The app received the URL from the operating system, so there is no connection to a browser that could show a
        // page about the outcome.
        let receivedRedirect = ReceivedRedirect(callbackURL: Secret(callbackURL)) { _ in }
        return OAuthSession(client: client, tokenSet: try await attempt.finish(receivedRedirect, endpoints))
      }
    } catch {
      throw SignInError(any: error)
    }
  }

  /// Continues a pending sign-in with a loopback redirect URI by binding its port again. An earlier process may have
  /// started the sign-in. If several such sign-ins are pending, this continues the one that expires last.
  ///
  /// The browser may still show the server's page. If the browser shows an error because the app was not listening, the
  /// user can reload the page. If the port is in use, the sign-in keeps waiting until its timeout, so that you can try
  /// again.
  /// - Returns: `nil` if no sign-in with a loopback redirect URI is pending.
  /// - Throws: ``SignInError``; ``SignInError/receiver(_:)`` if the port is in use, for example by the process that
  ///   started the sign-in.
  public func resume(receiver: some RedirectReceiver) async throws(SignInError) -> OAuthSession? {
    do {
      let waiting = try await self.pendingSignIns.waiting().first { $0.redirectURI.kind.option == .loopback }
      guard let pending = waiting else { return nil }
      let client = self.with(account: pending.account)
      let attempt = SignInAttempt(client: client, pending: pending)
      return try await receiver.withRedirect(at: pending.redirectURI) { bound in
        let endpoints = try await self.provider.endpoints()
        return try await attempt.run {
          let receivedRedirect = try await attempt.response(on: bound, within: pending.expiresAt - self.now())
          return OAuthSession(client: client, tokenSet: try await attempt.finish(receivedRedirect, endpoints))
        }
      }
    } catch {
      throw SignInError(any: error)
    }
  }

  /// Finds the sign-in that a callback URL belongs to, by its state and exact redirect URI (rules C-16 and C-18).
  private func pendingSignIn(for callbackURL: String) async throws -> PendingSignIn {
    switch try await self.pendingSignIns.status(of: AuthorizationResponse.state(in: callbackURL)) {
    case .waiting(let pending):
      try AuthorizationResponse.match(Secret(callbackURL), pending)
      return pending
    case .ended(let end): throw end.error
    case .unknown: throw AuthorizationResponseError.stateMismatch
    }
  }
}
