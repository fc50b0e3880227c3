import Hummingbird
import SallyportProtocol
import SallyportServer

/// The cookies of the server.
struct ServerCookies: Sendable {
  /// The browser's sessions, one for each account (``SessionCookie``). `SameSite` is `Lax`, because apps and other
  /// sites link to the server, and the browser must send the cookie with those requests.
  let session: ServerCookie
  /// The names of the users who signed in with the browser, for the sign-in page (RFC 8252 §8.7, rule S-18) and the
  /// page on which users choose an account. The cookie does not sign anyone in. A name is removed when its user signs
  /// out.
  let returningUser: ServerCookie
  /// Proof that users have signed in with this browser before (``KnownBrowsers``), so that failed sign-ins elsewhere do
  /// not delay sign-ins with this browser. A sign-out does not delete the cookie, because failed sign-ins elsewhere
  /// could otherwise lock out the user. `SameSite` is `Strict`, because only the server's own forms need the cookie.
  let knownBrowser: ServerCookie
  /// Binds sign-ins through upstreams (other OpenID providers) to this browser. `SameSite` is `Lax`, because the
  /// response of an upstream comes from another site.
  let upstream: ServerCookie
  /// Proof that a one-time link was used in this browser (``AccountLinks``).
  let linkProof: ServerCookie
  /// Proof that a link for sign-up was used in this browser (``SignUps``).
  let signUpProof: ServerCookie
  /// What the user entered on the account page before having to sign in again (``AccountDrafts``). `SameSite` is `Lax`,
  /// because the user may return from an upstream.
  let draft: ServerCookie
  /// The app's request that the user left to open a mailed link (``InteractionContinuation``).
  let continuation: ServerCookie

  init(issuer: Issuer, lifetimes: Lifetimes) {
    self.session = ServerCookie("sallyport", issuer: issuer, lifetime: lifetimes.browserSession, sameSite: .lax)
    // Browsers already store the cookie under this name, so the name cannot change.
    self.returningUser = ServerCookie(
      "sallyport-person", issuer: issuer, lifetime: ReturningUser.lifetime, sameSite: .lax)
    self.knownBrowser = ServerCookie(
      "sallyport-browser", issuer: issuer, lifetime: KnownBrowsers.lifetime, sameSite: .strict)
    self.upstream = ServerCookie(
      "sallyport-upstream", issuer: issuer, lifetime: UpstreamSignIn.cookieLifetime, sameSite: .lax)
    self.linkProof = ServerCookie(
      "sallyport-link", issuer: issuer, lifetime: AccountLinks.proofLifetime, sameSite: .strict)
    self.signUpProof = ServerCookie(
      "sallyport-sign-up", issuer: issuer, lifetime: SignUps.proofLifetime, sameSite: .strict)
    self.draft = ServerCookie("sallyport-draft", issuer: issuer, lifetime: AccountDrafts.lifetime, sameSite: .lax)
    self.continuation = ServerCookie(
      "sallyport-continuation", issuer: issuer, lifetime: lifetimes.interaction, sameSite: .strict)
  }

  /// Sets the session cookie.
  /// - Parameter cookie: Nil to delete the cookie, because no user is signed in anymore.
  func setSession(_ cookie: SessionCookie?, on response: inout Response) {
    if let cookie {
      self.session.set(cookie.value, isPersistent: cookie.isPersistent, on: &response)
    } else {
      self.session.clear(on: &response)
    }
  }

  /// Sets the cookie with the names of users.
  /// - Parameter value: Nil to delete the cookie, because no name is left.
  func setReturningUser(_ value: Secret<String>?, on response: inout Response) {
    if let value { self.returningUser.set(value, on: &response) } else { self.returningUser.clear(on: &response) }
  }
}
