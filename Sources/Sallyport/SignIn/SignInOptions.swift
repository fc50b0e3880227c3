public import SallyportProtocol

/// What a sign-in requests, and how long it waits.
public struct SignInOptions: Sendable {
  /// The scope to request.
  public var scope: Scope
  /// A hint about the expected user (OpenID Connect Core §3.1.2.1). It can be any text, for example what the user
  /// typed.
  public var loginHint: String?
  /// How the server must prompt the user. If empty, the server decides.
  public var prompt: Prompt
  /// The maximum time since the user authenticated, in whole seconds. If an ID token is requested, its `auth_time`
  /// must be within this time (OpenID Connect Core §3.1.2.1).
  public var maxAge: Duration?
  /// The preferred languages of the server's pages and of the page that the browser shows at the end, as BCP 47 tags in
  /// order of preference.
  public var uiLocales: [String] = []
  /// The authentication context classes to request, in order of preference.
  public var acrValues: [String] = []
  /// Whether to reject an ID token whose `acr` claim is missing or is not one of ``acrValues``. Without the scope
  /// `openid`, this has no effect, because no ID token is then checked.
  public var requiresACR = false
  /// Individual claims to request (OpenID Connect Core §5.5).
  public var claims = ClaimsRequest()
  /// The APIs that the tokens are for (RFC 8707). Include every API that checks the audience of tokens (RFC 9068 §4).
  ///
  /// The server puts the resources into the `aud` claim of the tokens, and may reject unknown resources
  /// (`invalid_target`). If at least one resource is a URL, the tokens are sent only to the origins of these resources,
  /// and the client's `tokenOrigins` are ignored. If the server doesn't support resource indicators, leave this empty
  /// and use `tokenOrigins`.
  public var resources: [ResourceIndicator]
  /// Additional parameters of the request, for example parameters that only a particular server defines.
  public var additional = AdditionalParameters.none
  /// How long the user may take.
  ///
  /// A system browser doesn't report that the user closed the page (RFC 8252 defines no such signal). Even if the
  /// browser process exits, the page may be open in another browser process. A sign-in whose page was closed ends with
  /// ``SignInError/timedOut`` after this time, or with ``SignInError/cancelled`` when its task is canceled. In both
  /// cases, the receiver is closed. If the platform reports a closed page (`ASWebAuthenticationSession`), the sign-in
  /// ends immediately with ``SignInError/dismissed``.
  public var timeout: Duration
  /// Whether to revoke the refresh token of the session that this sign-in replaces, so that an unused token doesn't
  /// remain valid. The default is `false`.
  ///
  /// Many servers, such as Google and Keycloak, revoke a whole grant or all of the user's sessions together with one
  /// refresh token (RFC 7009 §2.1 allows this). The new session would then end immediately. Turn this on only if the
  /// server revokes nothing but the tokens of the replaced session.
  public var revokesReplaced: Bool
  package var progress: @Sendable (SignInProgress) -> Void

  /// Creates options. The properties with the same names describe the parameters.
  /// - Parameters:
  ///   - scopes: The scope to request, for example `[.openID, "notes:read"]`.
  ///   - progress: Called when the sign-in reaches the next stage.
  public init(
    scopes: Scope, resources: [ResourceIndicator] = [], loginHint: String? = nil, prompt: Prompt = [], maxAge: Duration? = nil,
    timeout: Duration = .seconds(600), revokesReplaced: Bool = false,
    progress: @escaping @Sendable (SignInProgress) -> Void = { _ in }
  ) {
    self.scope = scopes
    self.resources = resources
    self.loginHint = loginHint
    self.prompt = prompt
    self.maxAge = maxAge
    self.timeout = timeout
    self.revokesReplaced = revokesReplaced
    self.progress = progress
  }
}

extension SignInOptions {
  /// Reports to the app if the server returned no refresh token although one was requested.
  func reportMissingRefreshToken(of tokenSet: TokenSet) {
    if self.scope.contains(.offlineAccess), tokenSet.refreshToken == nil { self.progress(.refreshTokenMissing) }
  }
}

/// The stages of a sign-in.
public enum SignInProgress: Sendable {
  /// The request includes a secret that all installations of the app share, because the server requires it. The
  /// secret doesn't authenticate the app (RFC 8252 §8.5).
  case sendingSharedSecret
  /// A redirect option cannot be used. The next option, if any, is tried.
  case skipped(RedirectOption.Fallback)
  /// The receiver is bound, and the browser is about to open this URL.
  case opening(BrowserURL)
  /// The response has arrived.
  case responseReceived
  /// The user is signed in, but the server returned no refresh token although the scope `offline_access` was requested.
  /// ``explanation`` says what to do. ``OAuthSession/isRenewable`` is `false` for such a session.
  case refreshTokenMissing
}
