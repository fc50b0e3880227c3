public import Sallyport
public import SallyportProtocol
import Synchronization

/// What a person has to be told while they sign in without help from this machine's browser.
public enum SignInInvitation: Sendable {
  /// This way is tried now; the others before it do not work here.
  case trying(SignInWay)
  /// Open the page on another device, enter the code.
  case device(DevicePrompt)
  /// Open the page in a browser on any machine.
  case page(BrowserURL)
  /// About the address that is pasted afterwards.
  case paste(PasteNotice)
}

extension [RedirectOption] {
  /// The ways to sign in that work where this command runs: the browser with a loopback port, else a code for another device
  /// (RFC 8628) where the server offers that, else an address that is pasted.
  ///
  ///     let session = try await client.signIn(options, redirects: .automatic { invitation in … })
  /// - Parameters:
  ///   - plan: which ways there are, best first.
  ///   - browser: the person's browser.
  ///   - redirectURI: the loopback redirect URI that is registered, where it is not the default one.
  ///   - invite: tells the person what to do, on standard error or in a window.
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

/// A sign-in in which the person carries something over by hand.
private struct HandSignIn: Sendable {
  let ways: [SignInWay]
  let redirectURI: RedirectURI?
  let invite: @Sendable (SignInInvitation) -> Void

  /// Takes the first way that the server takes part in. Once the person was asked nothing else is tried.
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
        throw .receiver(.cannotBind(reason: "an address cannot be pasted on Windows"))
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

  /// The server has no such endpoint, or this client may not use it.
  private static func isNotOffered(_ error: SignInError) -> Bool {
    switch error {
    case .deviceAuthorization(.notOffered): true
    case .refused(let refusal): refusal.code == .unauthorizedClient || refusal.code == .unsupportedGrantType
    default: false
    }
  }
}
