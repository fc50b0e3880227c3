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
  /// Called as the sign-in goes on.
  public var progress: @Sendable (SignInProgress) -> Void

  public init(
    scopes: [Scope], loginHint: String? = nil, prompt: String? = nil, timeout: Duration = .seconds(600),
    progress: @escaping @Sendable (SignInProgress) -> Void = { _ in }
  ) {
    self.scope = Scope(scopes)
    self.loginHint = loginHint
    self.prompt = prompt
    self.timeout = timeout
    self.progress = progress
  }
}

/// How far a sign-in has come.
public enum SignInProgress: Sendable {
  /// The receiver is bound and the browser is asked to open this URL.
  case opening(BrowserURL)
  /// The answer arrived and the code is being exchanged.
  case answered
}
