public import Sallyport
public import SallyportProtocol
import Synchronization

/// A message for a user who signs in with a code or a pasted URL, because the app opens no browser on this machine.
public enum SignInPrompt: Sendable {
  /// This method is used now. If other methods precede it in the ``SignInPlan``, none of them could be used.
  case trying(SignInMethod)
  /// The user must open the page on another device and enter the code.
  case device(DevicePrompt)
  /// The user must open the page in a browser on any machine.
  case page(BrowserURL)
  /// Information about the URL to paste.
  case paste(PastePrompt)
}

extension [RedirectOption] {
  /// The redirect options that work in the environment of this command: a browser with a loopback port, a code for
  /// another device (RFC 8628) if the server supports it, or a pasted URL.
  ///
  /// An app with a window on macOS should use `automatic(receiver:cookies:anchor:)`, which starts with the system's
  /// authentication session.
  ///
  /// ```swift
  /// let session = try await client.signIn(
  ///   options,
  ///   redirects: .automatic { prompt in
  ///     if case .device(let device) = prompt {
  ///       print("Open \(device.verificationURI.value) and enter \(device.userCode).")
  ///     }
  ///   })
  /// ```
  /// - Parameters:
  ///   - plan: The methods to try. The browser is tried first, wherever it is in the plan. The other methods are tried
  ///     in the order of the plan.
  ///   - browser: The user's browser.
  ///   - redirectURI: The loopback redirect URI that is registered for this client. The default is
  ///     `RedirectURI.loopback(for:)` of the issuer, for example `http://127.0.0.1/oauth2redirect/id.example.com`.
  ///   - show: Shows a prompt to the user, on standard error or in a window.
  public static func automatic(
    _ plan: SignInPlan = SignInEnvironment.current.plan(), browser: some UserAgent = .systemBrowser,
    redirectURI: RedirectURI? = nil, show: @escaping @Sendable (SignInPrompt) -> Void
  ) -> [RedirectOption] {
    var options: [RedirectOption] = []
    if plan.methods.contains(.browser) {
      options.append(.loopback(via: browser, receiver: LoopbackReceiver(redirectURI: redirectURI)))
    }
    let manualMethods = plan.methods.filter { $0 != .browser }
    if !manualMethods.isEmpty {
      let manual = ManualSignIn(methods: manualMethods, redirectURI: redirectURI, show: show)
      options.append(
        .noBrowser { (client, options) throws(SignInError) in try await manual.signIn(client, options) })
    }
    return options
  }
}

/// A sign-in for which the app opens no browser on this machine. The user copies a code or a URL instead.
private struct ManualSignIn: Sendable {
  /// The methods to try, in order. The list is not empty, and does not contain `browser`.
  let methods: [SignInMethod]
  let redirectURI: RedirectURI?
  let show: @Sendable (SignInPrompt) -> Void

  /// Uses the first method that the server supports. Once the user has seen a prompt, no other method is tried.
  func signIn(_ client: OAuthClient, _ options: SignInOptions) async throws(SignInError) -> OAuthSession {
    for method in self.methods.dropLast() {
      let hasPrompted = Mutex(false)
      do {
        return try await self.signIn(method, client, options, willPrompt: { hasPrompted.withLock { $0 = true } })
      } catch {
        guard !hasPrompted.withLock({ $0 }), Self.isNotOffered(error) else { throw error }
      }
    }
    return try await self.signIn(self.methods.last ?? .paste, client, options, willPrompt: {})
  }

  private func signIn(
    _ method: SignInMethod, _ client: OAuthClient, _ options: SignInOptions, willPrompt: @escaping @Sendable () -> Void
  ) async throws(SignInError) -> OAuthSession {
    switch method {
    case .device:
      return try await client.signInOnAnotherDevice(options) { prompt in
        willPrompt()
        self.show(.trying(method))
        self.show(.device(prompt))
      }
    case .paste, .browser:
      #if os(Windows)
        throw .receiver(.cannotBind(reason: "pasting a URL is not supported on Windows"))
      #else
        self.show(.trying(.paste))
        let page = ManualBrowser { url in
          willPrompt()
          self.show(.page(url))
        }
        let receiver = PastedRedirectReceiver(redirectURI: self.redirectURI) { self.show(.paste($0)) }
        return try await client.signIn(options, via: page, receiver: receiver)
      #endif
    }
  }

  /// Whether the server doesn't support device authorization, or doesn't allow it for this client.
  private static func isNotOffered(_ error: SignInError) -> Bool {
    switch error {
    case .deviceAuthorization(.notOffered): true
    case .refused(let errorResponse): errorResponse.code == .unauthorizedClient || errorResponse.code == .unsupportedGrantType
    default: false
    }
  }
}
