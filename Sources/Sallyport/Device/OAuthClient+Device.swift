import SallyportProtocol

extension OAuthClient {
  /// Signs a person in on another device, for a machine without a browser: RFC 8628, the device authorization grant.
  ///
  /// The server gives a code and the address of a page; `show` tells the person both, who opens the page on a phone or another
  /// computer and enters the code. Meanwhile the server is asked, as seldom as it wants, whether they have agreed.
  ///
  ///     let session = try await client.signInOnAnotherDevice(SignInOptions(scopes: [.openID])) { prompt in
  ///       print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
  ///     }
  ///
  /// Whoever opens the page signs in to this machine: a code that somebody else sends is not to be entered (§5.4). Where this
  /// machine has a browser, ``signIn(_:via:receiver:)`` is the better way.
  /// - Parameters:
  ///   - options: what belongs to the authorization request (a login hint, a prompt and the like) is not sent, since there is
  ///     none; what an ID token must show is demanded all the same.
  ///   - show: called once, before the first question; the wait begins when it returns.
  /// - Throws: ``SignInError``
  public func signInOnAnotherDevice(
    _ options: SignInOptions, show: @escaping @Sendable (DevicePrompt) async -> Void
  ) async throws(SignInError) -> Session {
    try await self.signInOnAnotherDevice(options, sleep: { try await Task.sleep(for: $0) }, show: show)
  }

  package func signInOnAnotherDevice(
    _ options: SignInOptions, sleep: @escaping Sleeper, show: @escaping @Sendable (DevicePrompt) async -> Void
  ) async throws(SignInError) -> Session {
    do {
      let endpoints = try await self.provider.endpoints()
      try Task.checkCancellation()
      let flow = DeviceFlow(client: self, options: options, endpoints: endpoints, sleep: sleep, show: show)
      return Session(client: self, grant: try await flow.run())
    } catch {
      throw SignInError(any: error)
    }
  }
}
