public import Sallyport
public import SallyportProtocol
import Synchronization

/// What to tell a user who signs in without this machine's browser.
public enum SignInInvitation: Sendable {
  /// This way to sign in is tried now, because those before it don't work here.
  case trying(SignInWay)
  /// The user must open the page on another device and enter the code.
  case device(DevicePrompt)
  /// The user must open the page in a browser on any machine.
  case page(BrowserURL)
  /// Information about the URL to paste.
  case paste(PasteNotice)
}

extension [RedirectOption] {
  /// The redirect options that work in the environment of this command: a browser with a loopback port, a code for
  /// another device (RFC 8628) if the server supports it, or a pasted URL.
  ///
  /// ```swift
  /// let session = try await client.signIn(
  ///   options,
  ///   redirects: .automatic { invitation in
  ///     if case .device(let prompt) = invitation {
  ///       print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
  ///     }
  ///   })
  /// ```
  /// - Parameters:
  ///   - plan: The ways to sign in, best first.
  ///   - browser: The user's browser.
  ///   - redirectURI: The loopback redirect URI that is registered, if it isn't the default one.
  ///   - invite: Tells the user what to do, on standard error or in a window.
  public static func automatic(
    _ plan: SignInPlan = Surroundings.current.plan(), browser: some UserAgent = .automatic, redirectURI: RedirectURI? = nil,
    invite: @escaping @Sendable (SignInInvitation) -> Void
  ) -> [RedirectOption] {
    var options: [RedirectOption] = []
    if plan.ways.contains(.browser) {
      options.append(.loopback(via: browser, receiver: LoopbackReceiver(redirectURI: redirectURI)))
    }
    let others = plan.ways.filter { $0 != .browser }
    if !others.isEmpty {
      let conversation = HandSignIn(ways: others, redirectURI: redirectURI, invite: invite)
      options.append(
        .noBrowser { (client, options) throws(SignInError) in try await conversation.signIn(client, options) })
    }
    return options
  }
}

/// A sign-in without this machine's browser, in which the user copies a code or a URL.
private struct HandSignIn: Sendable {
  let ways: [SignInWay]
  let redirectURI: RedirectURI?
  let invite: @Sendable (SignInInvitation) -> Void

  /// Uses the first way that the server supports. After the user has been asked for something, no other way is tried.
  func signIn(_ client: OAuthClient, _ options: SignInOptions) async throws(SignInError) -> Session {
    for way in self.ways.dropLast() {
      let asked = Mutex(false)
      do {
        return try await self.signIn(way, client, options) { asked.withLock { $0 = true } }
      } catch {
        guard !asked.withLock({ $0 }), Self.isNotOffered(error) else { throw error }
      }
    }
    return try await self.signIn(self.ways.last ?? .paste, client, options) {}
  }

  private func signIn(
    _ way: SignInWay, _ client: OAuthClient, _ options: SignInOptions, asks: @escaping @Sendable () -> Void
  ) async throws(SignInError) -> Session {
    switch way {
    case .device:
      return try await client.signInOnAnotherDevice(options) { prompt in
        asks()
        self.invite(.trying(way))
        self.invite(.device(prompt))
      }
    case .paste, .browser:
      #if os(Windows)
        throw .receiver(.cannotBind(reason: "pasting a URL is not supported on Windows"))
      #else
        self.invite(.trying(.paste))
        let page = ShownPage { url in
          asks()
          self.invite(.page(url))
        }
        let receiver = PastedRedirect(redirectURI: self.redirectURI) { self.invite(.paste($0)) }
        return try await client.signIn(options, via: page, receiver: receiver)
      #endif
    }
  }

  /// Whether the server doesn't support device authorization, or doesn't allow it for this client.
  private static func isNotOffered(_ error: SignInError) -> Bool {
    switch error {
    case .deviceAuthorization(.notOffered): true
    case .refused(let refusal): refusal.code == .unauthorizedClient || refusal.code == .unsupportedGrantType
    default: false
    }
  }
}
