import SallyportProtocol

/// A way for the response to return to the app (RFC 8252 §7).
///
/// Pass the options that an app supports to ``OAuthClient/signIn(_:redirects:)``. The sign-in uses the option with the
/// highest assurance that only this app receives the response. If that option cannot be used, the sign-in falls back to
/// the option with the next lower assurance (RFC 8252 §7.2).
///
/// ```swift
/// let session = try await client.signIn(
///   SignInOptions(scopes: [.openID]),
///   redirects: [
///     .loopback(via: browser, receiver: receiver),
///     .noBrowser { (client, options) throws(SignInError) in
///       try await client.signInOnAnotherDevice(options) { prompt in
///         print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
///       }
///     },
///   ])
/// ```
public struct RedirectOption: Sendable {
  /// The kinds of options, from the lowest assurance to the highest.
  public enum Kind: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// No redirect reaches the app. The user copies the response, or confirms a code on another device (RFC 8628).
    case noBrowser
    /// A loopback port of this machine (RFC 8252 §7.3).
    case loopback
    /// A private-use scheme (RFC 8252 §7.1).
    case privateUse
    /// An `https` URI that the operating system opens only in this app (RFC 8252 §7.2).
    case claimedHTTPS

    public static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
  }

  /// How the response returns to the app.
  public let kind: Kind
  /// Returns why the option cannot be used, or `nil` if it can.
  let obstacle: @Sendable () async -> String?
  let signIn: @Sendable (OAuthClient, SignInOptions) async throws(SignInError) -> OAuthSession

  private init(
    _ kind: Kind, obstacle: @escaping @Sendable () async -> String?,
    signIn: @escaping @Sendable (OAuthClient, SignInOptions) async throws(SignInError) -> OAuthSession
  ) {
    self.kind = kind
    self.obstacle = obstacle
    self.signIn = signIn
  }

  /// A claimed `https` URI. The app must be associated with the host. The user or the platform can turn this
  /// association off.
  /// - Parameter obstacle: Called before the sign-in. Returns why the platform doesn't deliver such links to the app,
  ///   or `nil` if it does.
  public static func claimedHTTPS(
    via userAgent: some UserAgent, receiver: some RedirectReceiver, obstacle: @escaping @Sendable () async -> String? = { nil }
  ) -> RedirectOption {
    self.redirect(.claimedHTTPS, userAgent, receiver, obstacle)
  }

  /// A private-use scheme, which must be registered with the operating system.
  /// - Parameter obstacle: Called before the sign-in. Returns why the option cannot be used, or `nil` if it can.
  public static func privateUse(
    via userAgent: some UserAgent, receiver: some RedirectReceiver, obstacle: @escaping @Sendable () async -> String? = { nil }
  ) -> RedirectOption {
    self.redirect(.privateUse, userAgent, receiver, obstacle)
  }

  /// A loopback port, which requires a browser on this machine.
  /// - Parameter obstacle: Called before the sign-in. Returns why the option cannot be used, or `nil` if it can.
  public static func loopback(
    via userAgent: some UserAgent, receiver: some RedirectReceiver, obstacle: @escaping @Sendable () async -> String? = { nil }
  ) -> RedirectOption {
    self.redirect(.loopback, userAgent, receiver, obstacle)
  }

  /// A sign-in without a browser on this machine.
  /// - Parameters:
  ///   - obstacle: Called before the sign-in. Returns why the option cannot be used, or `nil` if it can.
  ///   - signIn: Signs the user in, for example with ``OAuthClient/signInOnAnotherDevice(_:show:)``.
  public static func noBrowser(
    obstacle: @escaping @Sendable () async -> String? = { nil },
    _ signIn: @escaping @Sendable (OAuthClient, SignInOptions) async throws(SignInError) -> OAuthSession
  ) -> RedirectOption {
    RedirectOption(.noBrowser, obstacle: obstacle, signIn: signIn)
  }

  /// An option of the kind that the redirect URI has.
  package static func redirect(
    to redirectURI: RedirectURI, via userAgent: some UserAgent, receiver: some RedirectReceiver
  ) -> RedirectOption {
    self.redirect(redirectURI.kind.option, userAgent, receiver) { nil }
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

extension RedirectURI.Kind {
  var option: RedirectOption.Kind {
    switch self {
    case .https: .claimedHTTPS
    case .privateUse: .privateUse
    case .loopback: .loopback
    }
  }
}
