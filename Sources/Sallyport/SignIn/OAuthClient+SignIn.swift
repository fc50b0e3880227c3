public import SallyportProtocol
import SallyportRemote

extension OAuthClient {
  /// Signs a user in: binds the receiver, opens the browser, waits for the response, exchanges the code, and stores the
  /// tokens.
  /// - Parameters:
  ///   - scopes: The scopes to request. With `openid`, the response must contain an ID token, which is verified.
  ///   - resources: The APIs that the tokens are for; see ``SignInOptions/resources``. Omit them if the server doesn't
  ///     support resource indicators.
  ///   - userAgent: The user's browser.
  ///   - receiver: Waits for the redirect.
  /// - Throws: ``SignInError``
  public func signIn(
    scopes: Scope, resources: [ResourceIndicator] = [], via userAgent: some UserAgent, receiver: some RedirectReceiver
  ) async throws(SignInError) -> OAuthSession {
    try await self.signIn(SignInOptions(scopes: scopes, resources: resources), via: userAgent, receiver: receiver)
  }

  /// Signs a user in with the given options.
  /// - Throws: ``SignInError``
  public func signIn(
    _ options: SignInOptions, via userAgent: some UserAgent, receiver: some RedirectReceiver
  ) async throws(SignInError) -> OAuthSession {
    try await self.signIn(options, via: userAgent, receiver: receiver, kind: nil)
  }

  /// Signs a user in with the first usable redirect option, starting with the option that gives the most assurance that
  /// only this app receives the response.
  ///
  /// Claimed `https` URIs come first, then private-use schemes, loopback, and sign-in without a browser (RFC 8252 §7).
  /// Options of the same kind keep their order. An option that cannot be used is skipped and reported as
  /// ``SignInProgress/skipped(_:)``. After an option has shown something to the user, no other option is tried.
  /// - Throws: ``SignInError``; ``SignInError/noUsableRedirect(_:)`` if no option can be used.
  public func signIn(_ options: SignInOptions, redirects: [RedirectOption]) async throws(SignInError) -> OAuthSession {
    var skipped: [RedirectOption.Fallback] = []
    for kind in RedirectOption.Kind.allCases.sorted(by: >) {
      for redirect in redirects where redirect.kind == kind {
        let fallback: RedirectOption.Fallback
        do {
          guard let obstacle = await redirect.obstacle() else { return try await redirect.signIn(self, options) }
          fallback = RedirectOption.Fallback(kind, .obstacle(obstacle))
        } catch {
          // The next option is tried only after an error that another option can avoid, such as a port in use.
          guard let reason = RedirectOption.Fallback(kind, error) else { throw error }
          fallback = reason
        }
        skipped.append(fallback)
        options.progress(.skipped(fallback))
      }
    }
    throw .noUsableRedirect(skipped)
  }

  /// Signs a user in with the given user agent and receiver.
  /// - Parameter kind: The kind that the receiver's redirect URI must have, or `nil` for any kind.
  func signIn(
    _ options: SignInOptions, via userAgent: some UserAgent, receiver: some RedirectReceiver, kind: RedirectOption.Kind?
  ) async throws(SignInError) -> OAuthSession {
    do {
      let endpoints = try await self.provider.endpoints()
      try Task.checkCancellation()
      let flow = SignInFlow(client: self, options: options, endpoints: endpoints, userAgent: userAgent)
      let tokenSet = try await receiver.withRedirect(for: self.server) { bound in
        if let kind, bound.redirectURI.kind.option != kind {
          // This is a mistake in the app. Unlike `cannotBind`, `failed` ends the sign-in, so that another option cannot
          // hide the mistake.
          throw RedirectReceiverError.failed(reason: "\(bound.redirectURI) does not belong to the option \(kind)")
        }
        return try await flow.run(bound)
      }
      return OAuthSession(client: self, tokenSet: tokenSet)
    } catch {
      throw SignInError(any: error)
    }
  }

  var pendingSignIns: PendingSignIns {
    PendingSignIns(store: self.store, issuer: self.issuer, clientID: self.clientID, now: self.now)
  }
  var redirectReservations: RedirectReservations { RedirectReservations(store: self.store, now: self.now) }
}
