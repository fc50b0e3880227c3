import SallyportProtocol

extension OAuthClient {
  /// Signs a user in on another device, for a machine without a browser (device authorization grant, RFC 8628).
  ///
  /// The server returns a code and the address of a page. `show` presents both to the user, who opens the page on a
  /// phone or another computer and enters the code. Meanwhile the client polls the server at the interval that the
  /// server asks for.
  ///
  /// ```swift
  /// let session = try await client.signInOnAnotherDevice(SignInOptions(scopes: [.openID])) { prompt in
  ///   print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
  /// }
  /// ```
  ///
  /// A user who enters the code signs this machine in to their own account, so users must not enter a code that someone
  /// else sends them (RFC 8628 §5.4). If this machine has a browser, prefer ``signIn(_:via:receiver:)``.
  /// - Parameters:
  ///   - options: The sign-in options. This flow has no authorization request, so options such as a login hint or a
  ///     prompt are not sent. Requirements on the ID token still apply.
  ///   - show: Called once, before the first poll. Polling starts when `show` returns.
  /// - Throws: ``SignInError``
  public func signInOnAnotherDevice(
    _ options: SignInOptions, show: @escaping @Sendable (DevicePrompt) async -> Void
  ) async throws(SignInError) -> OAuthSession {
    try await self.signInOnAnotherDevice(options, sleep: { try await Task.sleep(for: $0) }, show: show)
  }

  package func signInOnAnotherDevice(
    _ options: SignInOptions, sleep: @escaping Sleeper, show: @escaping @Sendable (DevicePrompt) async -> Void
  ) async throws(SignInError) -> OAuthSession {
    do {
      let endpoints = try await self.provider.endpoints()
      try Task.checkCancellation()
      let flow = DeviceFlow(client: self, options: options, endpoints: endpoints, sleep: sleep, show: show)
      return OAuthSession(client: self, tokenSet: try await flow.run())
    } catch {
      throw SignInError(any: error)
    }
  }
}
