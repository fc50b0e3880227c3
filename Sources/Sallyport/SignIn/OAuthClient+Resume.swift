public import SallyportProtocol
import SallyportRemote

extension OAuthClient {
  /// Begins a sign-in whose answer comes to the app from outside, maybe after its process has ended.
  ///
  /// What the answer is compared with (verifier, state, nonce, redirect URI) rests in the store. The app opens the URL, and gives the
  /// callback URL to ``resume(from:)``.
  /// - Parameters:
  ///   - options: the time-out is how long the sign-in can be resumed.
  ///   - redirectURI: as registered; a loopback one with the port that is to be bound (RFC 8252 §7.3), as
  ///     ``beginSignIn(_:receiver:)`` finds one.
  /// - Throws: ``SignInError``; ``SignInError/receiver(_:)`` for a redirect that never reaches an app on this system.
  public func beginSignIn(_ options: SignInOptions, redirect redirectURI: RedirectURI) async throws(SignInError) -> BrowserURL {
    do {
      try redirectURI.checkReachesApp()
      if redirectURI.kind.option == .loopback, redirectURI.components.port == nil {
        throw SignInError.optionsInvalid(.redirectPortMissing)
      }
      let endpoints = try await self.provider.endpoints()
      try Task.checkCancellation()
      let pending = try self.pending(options, redirectURI: redirectURI, endpoints.metadata)
      let url = try await self.authorizationURL(for: pending, options, endpoints)
      try await SignInAttempt(client: self, pending: pending).begin()
      return url
    } catch {
      throw SignInError(any: error)
    }
  }

  /// Begins a sign-in whose answer comes to the app from outside.
  /// - Throws: ``SignInError``
  public func beginSignIn(scopes: [Scope], redirect redirectURI: RedirectURI) async throws(SignInError) -> BrowserURL {
    try await self.beginSignIn(SignInOptions(scopes: scopes), redirect: redirectURI)
  }

  /// Begins a sign-in on a redirect URI that `receiver` can bind, to be finished by ``resume(receiver:)`` in this process or a later one.
  ///
  /// The receiver is bound only to learn the URI, with a port that is free. Nobody listens there until ``resume(receiver:)`` does; should
  /// another program take the port meanwhile, it gets a code that is worth nothing without this app's verifier (RFC 7636 §1).
  /// - Throws: ``SignInError``
  public func beginSignIn(_ options: SignInOptions, receiver: some RedirectReceiver) async throws(SignInError) -> BrowserURL {
    let redirectURI: RedirectURI
    do {
      redirectURI = try await receiver.withRedirect(for: self.issuer) { $0.redirectURI }
    } catch {
      throw SignInError(any: error)
    }
    return try await self.beginSignIn(options, redirect: redirectURI)
  }

  /// Finishes a sign-in with the URL that the platform opened the app with (RFC 8252 §7).
  ///
  /// An answer is used once. What is no answer to a sign-in of this client (``AuthorizationResponseError/stateMismatch`` or
  /// ``AuthorizationResponseError/wrongRedirectURI``), or comes while the server cannot be reached, changes nothing: the sign-in goes
  /// on waiting.
  /// - Throws: ``SignInError``; ``SignInError/timedOut`` for an answer that comes too late.
  public func resume(from callbackURL: String) async throws(SignInError) -> Session {
    do {
      let pending = try await self.waiting(for: callbackURL)
      let endpoints = try await self.provider.endpoints()
      let client = self.with(account: pending.account)
      let attempt = SignInAttempt(client: client, pending: pending)
      return try await attempt.orEnd {
        let received = ReceivedRedirect(callbackURL: Secret(callbackURL)) { _ in }
        return Session(client: client, grant: try await attempt.finish(received, endpoints))
      }
    } catch {
      throw SignInError(any: error)
    }
  }

  /// Goes on with the newest sign-in that an earlier process has begun on a loopback port, where that port can be bound again.
  ///
  /// The browser may still be on the server's pages, or show that the app did not answer; then the person reloads that page. Where the
  /// port is taken the sign-in goes on waiting, until its time is over, for another try.
  /// - Returns: nil where no such sign-in waits.
  /// - Throws: ``SignInError``; ``SignInError/receiver(_:)`` where the port is taken, for example by the process that waits there.
  public func resume(receiver: some RedirectReceiver) async throws(SignInError) -> Session? {
    do {
      let waiting = try await self.pendingSignIns.waiting().first { $0.redirectURI.kind.option == .loopback }
      guard let pending = waiting else { return nil }
      let client = self.with(account: pending.account)
      let attempt = SignInAttempt(client: client, pending: pending)
      return try await receiver.withRedirect(again: pending.redirectURI) { bound in
        let endpoints = try await self.provider.endpoints()
        return try await attempt.orEnd {
          let received = try await attempt.answer(on: bound, within: pending.expiresAt - self.now())
          return Session(client: client, grant: try await attempt.finish(received, endpoints))
        }
      }
    } catch {
      throw SignInError(any: error)
    }
  }

  /// The sign-in that a callback URL answers, by its state and exactly its redirect URI: rules C-16 and C-18.
  private func waiting(for callbackURL: String) async throws -> PendingSignIn {
    switch try await self.pendingSignIns.state(of: AuthorizationResponse.state(in: callbackURL)) {
    case .waiting(let pending):
      try AuthorizationResponse.match(Secret(callbackURL), pending)
      return pending
    case .over(.answered): throw AuthorizationResponseError.alreadyAnswered
    case .over(.cancelled): throw SignInError.cancelled
    case .over(.expired): throw SignInError.timedOut
    case .unknown: throw AuthorizationResponseError.stateMismatch
    }
  }
}
