import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// What the routes of the account page share: finding the session, checking forms, asking for a sign-in, and
/// redirecting after a form.
struct AccountRequests: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookies: ServerCookies
  let signInForms: SignInForms

  var chooser: AccountChooser {
    AccountChooser(server: self.server, cookies: self.cookies, signInForms: self.signInForms)
  }

  // MARK: Requests

  func session(of request: Request) async throws -> BrowserSessions.Active? {
    try await self.server.sessions.active(self.cookies.session.value(in: request))
  }

  /// Returns the target of a sign-in from the request's URL. If the target is missing or unknown, it is the account
  /// page.
  func target(of request: Request) -> AccountTarget {
    let query = (try? FormParameters(parsing: request.uri.query ?? "")) ?? FormParameters()
    return query[AccountTarget.parameter].flatMap { AccountTarget(rawValue: $0) } ?? .page
  }

  /// The purposes of CSRF tokens.
  enum Purpose: String {
    /// The sign-in form for any user.
    case signIn = "account sign-in"
    /// The sign-in form on which the signed-in user must sign in again.
    case confirmation = "account confirmation"
    /// The forms of the account page.
    case account
    case password = "account password"
    case deletion = "account deletion"
    case authenticator = "account authenticator"
    /// The `status` parameter in the URL of the account page, which says what the last form changed.
    case status = "account status"
    /// The use of a one-time link.
    case link = "account link"
    /// The choice of a password after the use of a one-time link.
    case linkPassword = "account link password"
    case forgotPassword = "forgot password"
    /// The page on which users choose one of the accounts of this browser.
    case accounts
    case signUp = "sign-up"
    case signUpLink = "sign-up link"
    /// The creation of an account after the use of a link.
    case newAccount = "new account"
  }

  /// - Parameter binding: What the CSRF token is bound to besides the session: the value of the `status` parameter, the
  ///   token of a one-time link, or the proof that a one-time link was used.
  func csrfToken(_ purpose: Purpose, _ session: BrowserSessions.Active?, _ binding: String? = nil) -> String {
    self.server.csrfTokens.token(purpose: purpose.rawValue, session: session?.record, interaction: binding)
  }

  func isValid(_ form: FormParameters, _ purpose: Purpose, _ session: BrowserSessions.Active?) -> Bool {
    self.server.csrfTokens.isValid(form["csrf"], purpose: purpose.rawValue, session: session?.record, interaction: nil)
  }

  /// Handles a form for signed-in users.
  ///
  /// Without a session, the browser is sent to a page that asks for a sign-in. If the form was not posted from a page
  /// of this session, nothing changes, and the account page says so.
  /// - Parameters:
  ///   - target: The page to which the user returns after signing in again; nil if the change requires no recent
  ///     sign-in. If the page is for sensitive changes, the sign-in must also be strong enough.
  ///   - body: Makes the change.
  func accept(
    _ purpose: Purpose, requiringRecentSignInFor target: AccountTarget? = nil, _ request: Request,
    _ context: ServerRequestContext, _ body: (_ form: FormParameters, _ session: BrowserSessions.Active) async throws -> Response
  ) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      guard let session = try await self.session(of: request) else { return self.redirect(to: target ?? .page) }
      guard self.isValid(form, purpose, session) else {
        return self.redirect(with: .expired, session)
      }
      if let target, try await !self.permits(target, session) {
        return self.redirectToSignIn(for: target, keeping: form, session)
      }
      var response = try await body(form, session)
      if target != nil { self.endDraft(request, on: &response) }
      return response
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Whether the user may continue to a page without signing in again.
  func permits(_ target: AccountTarget, _ session: BrowserSessions.Active) async throws -> Bool {
    target.isSensitive
      ? try await self.server.selfService.permitsSensitiveChanges(session)
      : self.server.selfService.isRecentlyAuthenticated(session)
  }

  /// Returns the text that a sign-in on the account page uses in place of an interaction's identifier. Such a sign-in
  /// belongs to no interaction, because no app has requested it. The sealed state of the form for a code, and the
  /// request to an upstream, are bound to this text.
  /// - Parameter session: The session whose user must confirm a change; nil for a sign-in of any user.
  func binding(confirming session: BrowserSessions.Active?) -> String {
    guard let session else { return AccountPath.page.rawValue }
    return "\(AccountPath.page.rawValue) \(Base64URL.encode(session.record.fingerprint.bytes))"
  }

  // MARK: Responses

  func path(_ path: AccountPath) -> String {
    self.render.issuer.path + path.rawValue
  }

  /// The address of a link for users who have just chosen a password: they sign in and can then add a passkey. Nil if
  /// passkeys cannot be used.
  var passkeyAction: String? {
    self.server.passkeys == nil ? nil : self.render.issuer.path + self.signInAddress(.signIn, .passkeys)
  }

  func redirect(to target: AccountTarget) -> Response {
    .redirect(seeOther: self.render.issuer.url(appending: target.location))
  }

  /// Redirects to the page that asks for a sign-in before `target` is shown.
  func redirectToSignIn(for target: AccountTarget) -> Response {
    .redirect(seeOther: self.render.issuer.url(appending: self.signInAddress(.signIn, target)))
  }

  /// Redirects to the account page, which then shows a status. The address contains a token of the session, so that no
  /// link of another site can make the page say something that is not true.
  func redirect(with status: AccountStatus, _ session: BrowserSessions.Active) -> Response {
    self.redirect(with: status, token: self.csrfToken(.status, session, status.rawValue))
  }

  func redirect(with status: AccountStatus, token: String) -> Response {
    .redirect(
      seeOther: self.render.issuer.url(appending: AccountPath.page.rawValue) + "?status=\(status.rawValue)&token=\(token)")
  }

  /// Returns the response to a form.
  /// - Parameters:
  ///   - status: What the account page says if the change was made.
  ///   - target: The page to which the user returns if another sign-in is needed.
  func response(
    to outcome: ChangeOutcome, _ status: AccountStatus, _ target: AccountTarget, _ session: BrowserSessions.Active
  ) -> Response {
    switch outcome {
    case .done: self.redirect(with: status, session)
    case .nothingToDo, .notAllowed: self.redirect(with: .unchanged, session)
    case .signInNeeded: self.redirectToSignIn(for: target)
    case .signedOut: self.redirect(to: .page)
    }
  }

  /// Returns the status in the address of the account page; nil if the address has no status or an invalid token.
  func status(in request: Request, _ session: BrowserSessions.Active) -> AccountStatus? {
    guard let query = request.uri.query, let form = try? FormParameters(parsing: query),
      let status = form["status"].flatMap({ AccountStatus(rawValue: $0) }),
      self.server.csrfTokens.isValid(
        form["token"], purpose: Purpose.status.rawValue, session: session.record, interaction: status.rawValue)
    else { return nil }
    return status
  }

  /// Returns the page that asks a user to sign in, or a signed-in user to sign in again.
  /// - Parameters:
  ///   - session: The session of the user who is signed in, if any.
  ///   - username: The user name in the form. If nil, the form has the name of the user who must sign in again, or else
  ///     of the user who signed in last in this browser. For ``AccountTarget/anotherAccount``, the field is then empty.
  ///   - isOnPublicDevice: Whether the checkbox "This is not my device" was selected in a failed attempt.
  func signInPage(
    for target: AccountTarget, _ session: BrowserSessions.Active?, username: String? = nil, failure: SignInFailure? = nil,
    isOnPublicDevice: Bool = false, _ request: Request
  ) async throws -> Response {
    var purpose = SignInPage.Purpose.account
    // A sign-in to another account does not depend on the user who is signed in.
    let session = target == .anotherAccount ? nil : session
    if let session {
      var confirmation = SignInPage.Confirmation(acceptsPassword: session.account.hasPassword)
      if target.isSensitive {
        let factors = try await self.server.selfService.factors(of: session.account.id)
        confirmation.isRecent = factors.hasAny && self.server.selfService.isRecentlyAuthenticated(session)
        confirmation.acceptsPasskey = factors.passkeys > 0
        confirmation.acceptsCode = factors.acceptCodes
      }
      purpose = .confirmation(confirmation)
    }
    let knownUsername: String? =
      target == .anotherAccount ? nil : session?.account.username.value ?? self.signInForms.lastUsername(in: request)
    let csrfToken = self.csrfToken(session == nil ? .signIn : .confirmation, session)
    let page = SignInPage(
      username: username ?? knownUsername ?? "", failure: failure,
      isOnPublicDevice: isOnPublicDevice,
      action: self.render.issuer.path + self.signInAddress(.signIn, target), csrfToken: csrfToken,
      passkey: self.signInForms.passkey(
        action: self.render.issuer.path + self.signInAddress(.passkeySignIn, target), csrfToken: csrfToken,
        interaction: AccountPath.page.rawValue),
      forgotAction: session?.account.hasPassword == false ? nil : self.signInForms.forgotAction(),
      signUpAction: session == nil ? self.signInForms.signUpAction() : nil,
      upstreams: await self.signInForms.upstreams(connectedWith: session?.account.id), purpose: purpose)
    return self.render.localized(for: request, account: session?.account).signIn(page, policy: .standalone)
  }

  /// Returns the page with new recovery codes.
  func recoveryCodesPage(
    _ codes: [RecoveryCode], _ occasion: RecoveryCodesPage.Occasion, _ session: BrowserSessions.Active, _ request: Request
  ) -> Response {
    let page = RecoveryCodesPage(
      occasion, username: session.account.username.value, codes: codes.map(\.displayed),
      acceptsPassword: session.account.hasPassword, accountAction: self.path(.page))
    let render = self.render.localized(for: request, account: session.account)
    return render.page(render.pages.recoveryCodes(page), policy: .standalone)
  }

  /// Returns the error page for an invalid one-time link. The page does not say whether the link never existed, has
  /// expired, was used, or was replaced.
  func invalidLink(_ request: Request, _ context: ServerRequestContext) async -> Response {
    let text = ErrorText(
      status: .notFound, title: .errorLink, explanation: .errorLinkExplanation, advice: .errorLinkAdvice)
    return self.withoutReferrer(await self.render.errorPage(text, request, context))
  }

  /// Returns the error page that says that sign-up is closed. It appears in place of the sign-up page while users
  /// cannot create accounts by themselves, and for a sign-up link that was created before the operator changed who can
  /// sign up.
  func closedSignUp(_ request: Request, _ context: ServerRequestContext) async -> Response {
    let text = ErrorText(
      status: .forbidden, title: .errorSignUpClosed, explanation: .errorSignUpClosedExplanation,
      advice: .errorSignUpClosedAdvice)
    return self.withoutReferrer(await self.render.errorPage(text, request, context))
  }

  /// Returns the renderer for a page that users of an app reach from the sign-in page, perhaps through a mailed link.
  /// The page has the language that the app asked for.
  func localizedRender(for request: Request, account: AccountRecord? = nil) async -> Renderer {
    self.render.localized(
      for: request, uiLocales: await self.signInForms.continuation.uiLocales(of: request), account: account)
  }

  /// Keeps the token of a one-time link, which is in the address of the page, out of `Referer`.
  ///
  /// With `no-referrer`, the browser would send `Origin: null` with the form, which the server rejects.
  func withoutReferrer(_ response: Response) -> Response {
    var response = response
    response.headers[.referrerPolicy] = "strict-origin"
    return response
  }

  func signInAddress(_ path: AccountPath, _ target: AccountTarget) -> String {
    "\(path.rawValue)?\(AccountTarget.parameter)=\(target.rawValue)"
  }
}
