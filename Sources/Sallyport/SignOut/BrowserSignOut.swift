public import SallyportProtocol
import SallyportRemote

/// Options for ending the user's browser session at the server (OpenID Connect RP-Initiated Logout 1.0 §2).
public struct BrowserSignOut: Sendable {
  /// The registered URI to which the server redirects the browser after the sign-out.
  /// ``OAuthSession/signOut(_:via:returningTo:within:)`` uses the redirect URI of its `receiver` instead.
  public var postLogoutRedirectURI: RedirectURI?
  /// A value that the server adds to ``postLogoutRedirectURI``. It is sent only together with that URI.
  /// ``OAuthSession/signOut(_:via:returningTo:within:)`` uses a random value instead.
  public var state: String?
  /// Whether to send the ID token as a hint, so that the server can identify the session without asking the user.
  ///
  /// The ID token cannot be used to sign in. However, it is part of the URL and contains claims about the user, so it
  /// becomes visible in the browser's history and, on a shared machine, in the process list. Without the hint, the
  /// server may ask the user first.
  public var sendsIDToken: Bool
  /// Any text that tells the server who is signing out, for example an email address.
  public var logoutHint: String?
  /// The preferred languages of the server's pages and of the page that the browser shows at the end, as BCP 47 tags in
  /// order of preference.
  public var uiLocales: [String] = []

  /// Creates options. The properties with the same names describe the parameters.
  public init(
    postLogoutRedirectURI: RedirectURI? = nil, state: String? = nil, sendsIDToken: Bool = true, logoutHint: String? = nil
  ) {
    self.postLogoutRedirectURI = postLogoutRedirectURI
    self.state = state
    self.sendsIDToken = sendsIDToken
    self.logoutHint = logoutHint
  }

  /// The URL to open. It always contains `client_id`, because a server must not redirect for an unknown client (§2,
  /// §3).
  func url(at endpoint: EndpointURL, clientID: String, idToken: Secret<String>?) throws(EndpointURLError) -> BrowserURL {
    // Parameters with an empty value are left out of the URL.
    let parameters = [
      (name: "client_id", value: clientID),
      (name: "id_token_hint", value: self.sendsIDToken ? idToken?.reveal() ?? "" : ""),
      (name: "logout_hint", value: self.logoutHint ?? ""),
      (name: "post_logout_redirect_uri", value: self.postLogoutRedirectURI?.value ?? ""),
      (name: "state", value: self.postLogoutRedirectURI == nil ? "" : self.state ?? ""),
      (name: "ui_locales", value: self.uiLocales.joined(separator: " ")),
    ]
    return try BrowserURL(endpoint.appending(query: parameters.filter { !$0.value.isEmpty }))
  }
}

/// The result of a sign-out in the browser.
public struct BrowserSignOutOutcome: Equatable, Sendable {
  /// What happened to the tokens. In every case, they have been removed from the store.
  public let tokens: SignOutOutcome
  /// How the sign-out on the server's page ended.
  public let browser: BrowserResult

  /// Creates a result.
  /// - Parameters:
  ///   - tokens: What happened to the tokens.
  ///   - browser: How the sign-out on the server's page ended.
  public init(tokens: SignOutOutcome, browser: BrowserResult) {
    self.tokens = tokens
    self.browser = browser
  }

  /// How the sign-out on the server's page ended.
  public enum BrowserResult: Equatable, Sendable {
    /// The browser was asked to open the page. What the user does there is unknown.
    case opened
    /// The server redirected the browser back to the app: the sign-out is complete.
    case returned
    /// The browser was asked to open the page, but didn't come back to the app in time. The redirect may not be
    /// registered, or the user may still be on the server's page.
    case timedOut
    /// The browser was asked to open the page, and the app canceled the wait for the redirect.
    case cancelled
    /// The user closed the page, on platforms that report it.
    case dismissed
    /// The browser was asked to open the page, but the receiver failed.
    case receiverFailed(reason: String)
    /// The server has no sign-out page with a URL that is safe to open, or its metadata could not be read.
    case notOffered
    /// The page could not be opened.
    case notOpened(UserAgentError)
  }
}
