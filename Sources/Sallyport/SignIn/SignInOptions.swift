public import SallyportProtocol

/// What a sign-in asks for, and how long it waits.
public struct SignInOptions: Sendable {
  /// The scopes that are asked for.
  public var scope: Scope
  /// Whom the app expects, OpenID Connect Core §3.1.2.1; any text, for example what a person typed.
  public var loginHint: String?
  /// What the server asks the person even if nothing would need to be asked; empty, the server decides.
  public var prompt: Prompt
  /// How long ago the person may have authenticated, in whole seconds; the ID token must show it (OpenID Connect Core §3.1.2.1).
  public var maxAge: Duration?
  /// The languages of the server's pages, as BCP 47 tags, the best first.
  public var uiLocales: [String] = []
  /// Classes of authentication that are asked for, the best first.
  public var acrValues: [String] = []
  /// Whether an ID token that shows none of ``acrValues`` is refused (it then has to be asked for with `openid`).
  public var requiresACR = false
  /// Single claims that are asked for, OpenID Connect Core §5.5.
  public var claims = ClaimsRequest()
  /// The APIs that the server shall issue the tokens for, RFC 8707: what an API that checks audiences (RFC 9068 §4) is asked for by.
  ///
  /// They are sent to the server, which names them in the tokens' `aud` and may refuse one that it does not know (`invalid_target`). The
  /// tokens then go to their origins only, whatever the client's `tokenOrigins` say. Where a server knows no resources, leave this empty
  /// and say in `tokenOrigins` where tokens may go.
  public var resources: [ResourceIndicator]
  /// What only this server understands.
  public var additional = AdditionalParameters.none
  /// How long the person may take.
  ///
  /// With a browser of the system nobody tells the app that the person closed the page (RFC 8252 has no channel for it), and that the
  /// browser's program has ended says nothing: it may have handed the page to one that runs already. Such a sign-in ends when this time is
  /// over, as ``SignInError/timedOut``, or when its task is cancelled; either closes the port. Where the platform tells of a closed page
  /// (`ASWebAuthenticationSession`), it ends at once as ``SignInError/dismissed``.
  public var timeout: Duration
  /// Whether the refresh token of the session whose place this one takes is revoked, so that it does not live on unused.
  ///
  /// To be switched off where a server, against RFC 7009 §2.1, ends all sessions of the person with one refresh token.
  public var revokesReplaced: Bool
  /// Called as the sign-in goes on.
  public var progress: @Sendable (SignInProgress) -> Void

  public init(
    scopes: [Scope], resources: [ResourceIndicator] = [], loginHint: String? = nil, prompt: Prompt = [], maxAge: Duration? = nil,
    timeout: Duration = .seconds(600), revokesReplaced: Bool = true,
    progress: @escaping @Sendable (SignInProgress) -> Void = { _ in }
  ) {
    self.scope = Scope(scopes)
    self.resources = resources
    self.loginHint = loginHint
    self.prompt = prompt
    self.maxAge = maxAge
    self.timeout = timeout
    self.revokesReplaced = revokesReplaced
    self.progress = progress
  }
}

/// How far a sign-in has come.
public enum SignInProgress: Sendable {
  /// The server insists on a secret that all installs of the app share. It goes along, and proves nothing (RFC 8252 §8.5).
  case sendingSharedSecret
  /// A way back to the app cannot be used here, and the next one is tried.
  case skipped(RedirectFallback)
  /// The receiver is bound and the browser is asked to open this URL.
  case opening(BrowserURL)
  /// The answer arrived and the code is being exchanged.
  case answered
}

/// Why options make no request.
public enum SignInOptionsError: Error, Equatable, Sendable {
  /// `none` says that nothing is asked, OpenID Connect Core §3.1.2.1.
  case promptNoneBesideAnother
  case maxAgeNegative
  /// A loopback redirect URI without a port leads to port 80, where nobody waits: RFC 8252 §7.3.
  case redirectPortMissing
}
