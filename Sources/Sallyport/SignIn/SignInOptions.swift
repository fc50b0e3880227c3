public import SallyportProtocol

/// What a sign-in asks for, and how long it waits.
public struct SignInOptions: Sendable {
  /// The scopes that are asked for.
  public var scope: Scope
  /// Whom the app expects, OpenID Connect Core §3.1.2.1; any text, for example what a person typed.
  public var loginHint: String?
  /// `prompt`, OpenID Connect Core §3.1.2.1, for example `login` or `consent`.
  public var prompt: String?
  /// How long the person may take.
  public var timeout: Duration
  /// Whether the refresh token of the session whose place this one takes is revoked, so that it does not live on unused.
  ///
  /// To be switched off where a server, against RFC 7009 §2.1, ends all sessions of the person with one refresh token.
  public var revokesReplaced: Bool
  /// Called as the sign-in goes on.
  public var progress: @Sendable (SignInProgress) -> Void

  public init(
    scopes: [Scope], loginHint: String? = nil, prompt: String? = nil, timeout: Duration = .seconds(600),
    revokesReplaced: Bool = true, progress: @escaping @Sendable (SignInProgress) -> Void = { _ in }
  ) {
    self.scope = Scope(scopes)
    self.loginHint = loginHint
    self.prompt = prompt
    self.timeout = timeout
    self.revokesReplaced = revokesReplaced
    self.progress = progress
  }
}

/// How far a sign-in has come.
public enum SignInProgress: Sendable {
  /// A way back to the app cannot be used here, and the next one is tried.
  case skipped(RedirectFallback)
  /// The receiver is bound and the browser is asked to open this URL.
  case opening(BrowserURL)
  /// The answer arrived and the code is being exchanged.
  case answered
}
