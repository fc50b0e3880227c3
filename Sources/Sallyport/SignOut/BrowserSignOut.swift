public import SallyportProtocol
import SallyportRemote

/// How the person's session at the server is ended in the browser, OpenID Connect RP-Initiated Logout 1.0 §2.
public struct BrowserSignOut: Sendable {
  /// Where the browser goes afterwards; as registered.
  public var postLogoutRedirectURI: RedirectURI?
  /// Comes back with that redirect. Where the app waits for it, ``Session/signOut(_:via:returningTo:within:)`` makes one of its own.
  public var state: String?
  /// Whether the ID token goes along, by which the server knows whose session it is and need not ask.
  ///
  /// It signs nobody in, but it stands in the URL, and with it what it says of the person: in the browser's history, and on a shared
  /// machine in the list of processes. Without it the server asks the person first.
  public var sendsIDToken: Bool
  /// Any text that tells the server who signs out, for example an e-mail address.
  public var logoutHint: String?
  /// The languages of the server's pages, as BCP 47 tags, the best first.
  public var uiLocales: [String] = []

  public init(
    postLogoutRedirectURI: RedirectURI? = nil, state: String? = nil, sendsIDToken: Bool = true, logoutHint: String? = nil
  ) {
    self.postLogoutRedirectURI = postLogoutRedirectURI
    self.state = state
    self.sendsIDToken = sendsIDToken
    self.logoutHint = logoutHint
  }

  /// The URL to open at a server's endpoint. `client_id` is there in any case, since a server must not redirect for a client that it
  /// does not know (§2, §3).
  func url(at endpoint: EndpointURL, clientID: String, idToken: Secret<String>?) throws(EndpointURLError) -> BrowserURL {
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

/// What a sign-out in the browser has come to.
public struct BrowserSignOutOutcome: Equatable, Sendable {
  /// What became of the tokens, which are gone from the store in every case.
  public let tokens: SignOutOutcome
  public let page: Page

  public init(tokens: SignOutOutcome, page: Page) {
    self.tokens = tokens
    self.page = page
  }

  /// What became of the server's page.
  public enum Page: Equatable, Sendable {
    /// The browser was asked to open it; what the person does there is not known here.
    case opened
    /// The server sent the browser back to the app: it has done what it does for a sign-out, and the person was shown its end.
    case returned
    /// The browser was asked to open it and did not come back.
    case notReturned(Absence)
    /// The server has no such page, or could not be asked for it.
    case notOffered
    case notOpened(UserAgentError)
  }

  /// Why the app does not wait for the browser any more.
  public enum Absence: Equatable, Sendable {
    /// Not in the time that was given. The server may have no such redirect registered, or have left the person on its own page.
    case timedOut
    /// The program stopped the wait.
    case cancelled
    /// The person closed the page, where the platform tells.
    case dismissed
    /// Nothing can be received any more.
    case receiver(reason: String)
  }
}
