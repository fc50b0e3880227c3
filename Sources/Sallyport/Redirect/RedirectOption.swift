import SallyportProtocol

/// One way on which the answer can come back to the app, RFC 8252 §7.
///
/// An app gives ``OAuthClient/signIn(_:redirects:)`` the ways that it has. The one that says most about who receives the answer is
/// taken; one that cannot be used here makes room for the next (RFC 8252 §7.2).
///
///     let session = try await client.signIn(
///       SignInOptions(scopes: [.openID]),
///       redirects: [.loopback(via: browser, receiver: LoopbackReceiver()), .noBrowser { … }])
public struct RedirectOption: Sendable {
  /// The ways, from the least assurance to the most.
  public enum Kind: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// No redirect reaches the app: the person carries the answer over, or confirms a code on another device (RFC 8628).
    case noBrowser
    /// A port of this machine, RFC 8252 §7.3.
    case loopback
    /// A private-use scheme, RFC 8252 §7.1.
    case privateUse
    /// An `https` URI that the operating system gives to this app alone, RFC 8252 §7.2.
    case claimedHTTPS

    public static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
  }

  public let kind: Kind
  /// Why it cannot be used here; nil where it can.
  let obstacle: @Sendable () async -> String?
  let signIn: @Sendable (OAuthClient, SignInOptions) async throws(SignInError) -> Session

  private init(
    _ kind: Kind, obstacle: @escaping @Sendable () async -> String?,
    signIn: @escaping @Sendable (OAuthClient, SignInOptions) async throws(SignInError) -> Session
  ) {
    self.kind = kind
    self.obstacle = obstacle
    self.signIn = signIn
  }

  /// A claimed `https` URI. It needs an association of the app with the host, which the person or the platform can switch off.
  /// - Parameter obstacle: asked first; says why the platform does not bring such links to the app, or nil.
  public static func claimedHTTPS(
    via userAgent: some UserAgent, receiver: some RedirectReceiver, obstacle: @escaping @Sendable () async -> String? = { nil }
  ) -> RedirectOption {
    self.redirect(.claimedHTTPS, userAgent, receiver, obstacle)
  }

  /// A private-use scheme. It needs the scheme to be registered with the operating system.
  public static func privateUse(
    via userAgent: some UserAgent, receiver: some RedirectReceiver, obstacle: @escaping @Sendable () async -> String? = { nil }
  ) -> RedirectOption {
    self.redirect(.privateUse, userAgent, receiver, obstacle)
  }

  /// A loopback port. It needs a browser on this machine.
  public static func loopback(
    via userAgent: some UserAgent, receiver: some RedirectReceiver, obstacle: @escaping @Sendable () async -> String? = { nil }
  ) -> RedirectOption {
    self.redirect(.loopback, userAgent, receiver, obstacle)
  }

  /// A sign-in without a browser on this machine, whatever it is.
  public static func noBrowser(
    obstacle: @escaping @Sendable () async -> String? = { nil },
    _ signIn: @escaping @Sendable (OAuthClient, SignInOptions) async throws(SignInError) -> Session
  ) -> RedirectOption {
    RedirectOption(.noBrowser, obstacle: obstacle, signIn: signIn)
  }

  private static func redirect(
    _ kind: Kind, _ userAgent: some UserAgent, _ receiver: some RedirectReceiver,
    _ obstacle: @escaping @Sendable () async -> String?
  ) -> RedirectOption {
    RedirectOption(kind, obstacle: obstacle) { (client, options) throws(SignInError) in
      try await client.signIn(options, via: userAgent, receiver: receiver, kind: kind)
    }
  }
}

/// A way that was not taken, and why.
public struct RedirectFallback: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// The platform or the person has it switched off.
    case obstacle(String)
    /// Nothing can be received there.
    case receiver(RedirectReceiverError)
    /// No browser was opened.
    case userAgent(UserAgentError)
  }

  public let kind: RedirectOption.Kind
  public let reason: Reason

  init(_ kind: RedirectOption.Kind, _ reason: Reason) {
    self.kind = kind
    self.reason = reason
  }

  /// A failure after which nobody has been asked anything yet; nil for any other, which ends the sign-in.
  init?(_ kind: RedirectOption.Kind, _ error: SignInError) {
    switch error {
    case .receiver(.cannotBind(let reason)): self.init(kind, Reason.receiver(.cannotBind(reason: reason)))
    case .userAgent(let error): self.init(kind, Reason.userAgent(error))
    default: return nil
    }
  }
}

extension RedirectURI.Kind {
  var option: RedirectOption.Kind {
    switch self {
    case .https: .claimedHTTPS
    case .privateUse: .privateUse
    case .loopback: .loopback
    }
  }
}
