import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The pages for sign-in and consent. One address shows the next page, six addresses accept the forms, and one
/// switches accounts.
///
/// An interaction is an authorization request on its way through these pages. The URL of each page contains the sealed
/// (encrypted) interaction.
struct InteractionRoutes: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookies: ServerCookies
  let signInForms: SignInForms

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(InteractionPath.page.rawValue), use: self.page)
    router.get(RouterPath(InteractionPath.switchAccount.rawValue), use: self.switchAccount)
    router.post(RouterPath(InteractionPath.signIn.rawValue), use: self.signIn)
    router.post(RouterPath(InteractionPath.passkey.rawValue), use: self.signInWithPasskey)
    router.post(RouterPath(InteractionPath.code.rawValue), use: self.enterCode)
    router.post(RouterPath(InteractionPath.changePassword.rawValue), use: self.changePassword)
    router.post(RouterPath(InteractionPath.consent.rawValue), use: self.consent)
    router.post(RouterPath(InteractionPath.account.rawValue), use: self.chooseAccount)
    for path in [InteractionPath.signIn, .passkey, .code, .changePassword, .consent, .account] {
      router.get(RouterPath(path.rawValue), use: self.redirectToPage)
    }
  }

  /// Redirects from a form's address to the interaction's next page. After a failed submission, the form's address
  /// stays in the browser's address bar, and the user may load it again.
  @Sendable func redirectToPage(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      return self.redirect(to: try await self.interaction(of: request).sealed)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Shows the next page, or sends the authorization response if the user has nothing left to do. This GET request can
  /// therefore store an authorization code.
  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let (interaction, sealed) = try await self.interaction(of: request)
      let sessions = try await self.sessions(of: request)
      let choice = interaction.choice(among: sessions)
      let session = choice.session
      switch try await self.server.authorization.next(interaction, choice, from: context.origin) {
      case .chooseAccount: return self.chooserPage(interaction, sealed, sessions, request)
      case .signIn:
        // With `prompt=select_account`, a user without a session can choose one of the user names that this browser
        // remembers.
        if sessions.isEmpty, interaction.asksForAccount, self.signInForms.lastUsername(in: request) != nil {
          return self.chooserPage(interaction, sealed, [], request)
        }
        // The app asks for the sign-up page. If users cannot sign up, they see the sign-in page instead.
        if interaction.parameters.prompt.contains(.create), let address = self.signInForms.signUpAction(for: sealed) {
          return .redirect(seeOther: self.render.issuer.origin + address)
        }
        // Tell the user why a sign-in that is too weak for the app leads to the sign-in page again.
        var weakSignIn: SignInForms.WeakSignIn?
        if let session, !interaction.acceptsMethods(of: session.record) {
          weakSignIn = try await self.signInForms.weakSignIn(for: interaction.neededLevel, of: session.account)
        }
        // The URL shows that the user has signed in for this request.
        let lacksCookie = interaction.chosenAccount != nil && self.cookies.session.value(in: request) == nil
        return await self.signInPage(
          interaction, sealed, returning: session?.account.username.value ?? self.signInForms.lastUsername(in: request),
          failure: lacksCookie ? .cookiesNeeded : weakSignIn?.failure, missingFactor: weakSignIn?.missingFactor, session: session,
          request)
      case .consent(_, let reason):
        guard let session else { return await self.signInPage(interaction, sealed, request) }
        return self.consentPage(interaction, sealed, session, reason, request)
      case .response(let response):
        return self.render.authorizationResponse(response, to: request, uiLocales: interaction.parameters.uiLocales)
      }
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Redirects to the sign-in page of the interaction, so that the user can use a different account.
  @Sendable func switchAccount(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let (interaction, _) = try await self.interaction(of: request)
      // The user name is empty, because the user has not chosen another account yet.
      return self.redirect(to: try self.server.interactions.switchingAccount(interaction, to: ""))
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the sign-in form.
  @Sendable func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      let username = form["username"] ?? ""
      guard self.server.csrfTokens.isValid(form["csrf"], purpose: "sign-in", session: nil, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, username: username, failure: .expired, request) }
      if let upstream = form["upstream"] {
        return try await self.begin(
          upstream, interaction, sealed, isOnPublicDevice: form.isOnPublicDevice, request, context)
      }
      let outcome = try await self.signInForms.signIn(
        form, request, context, interaction: interaction.id, wantsSecondFactor: interaction.asksForSecondFactor)
      return try await self.response(
        to: outcome, interaction, sealed, username: username, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Redirects the browser to an upstream: another OpenID provider, at which the user signs in.
  private func begin(
    _ upstream: String, _ interaction: Interaction, _ sealed: String, isOnPublicDevice: Bool, _ request: Request,
    _ context: ServerRequestContext
  ) async throws -> Response {
    let purpose = UpstreamPurpose(
      .interaction, destination: sealed, interaction: interaction.id, wantsCode: interaction.asksForSecondFactor,
      isOnPublicDevice: isOnPublicDevice)
    switch try await self.signInForms.beginUpstreamSignIn(upstream, for: purpose, interaction.upstreamHints, request, context) {
    case .response(let response): return response
    case .failed(let failure): return await self.signInPage(interaction, sealed, failure: failure, request)
    }
  }

  /// Returns the response to a sign-in through an upstream.
  func response(
    to outcome: SignInForms.Outcome, sealed: String, isOnPublicDevice: Bool, _ request: Request
  ) async throws -> Response {
    try await self.response(
      to: outcome, try await self.server.interactions.open(sealed), sealed, isOnPublicDevice: isOnPublicDevice, request)
  }

  /// Accepts the form with a passkey.
  @Sendable func signInWithPasskey(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      guard self.server.csrfTokens.isValid(form["csrf"], purpose: "sign-in", session: nil, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, failure: .expired, request) }
      let outcome = try await self.signInForms.signInWithPasskey(form, request, context, interaction: interaction.id)
      return try await self.response(
        to: outcome, interaction, sealed, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the code that a sign-in requires as its second step.
  @Sendable func enterCode(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      guard self.signInForms.isValidCodeForm(form, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, failure: .expired, request) }
      let outcome = try await self.signInForms.enterCode(form, request, context, interaction: interaction.id)
      return try await self.response(
        to: outcome, interaction, sealed, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the form on which the user chooses a new password.
  @Sendable func changePassword(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      guard self.server.csrfTokens.isValid(form["csrf"], purpose: "change password", session: nil, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, failure: .expired, request) }
      let outcome = try await self.signInForms.changePassword(form, request, context)
      return try await self.response(
        to: outcome, interaction, sealed, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Returns the response to a step of the sign-in.
  private func response(
    to outcome: SignInForms.Outcome, _ interaction: Interaction, _ sealed: String, username: String? = nil,
    isOnPublicDevice: Bool, _ request: Request
  ) async throws -> Response {
    let render = self.render.localized(for: request, uiLocales: interaction.parameters.uiLocales)
    switch outcome {
    case .failed(let failure):
      return await self.signInPage(
        interaction, sealed, username: username, failure: failure, isOnPublicDevice: isOnPublicDevice, request)
    case .code(let entry):
      let page = self.signInForms.page(
        for: entry, action: InteractionPath.code.relativeURL(sealed, self.render.issuer), interaction: interaction.id,
        startOver: InteractionPath.page.relativeURL(sealed, self.render.issuer))
      return render.secondFactor(page, policy: .interaction)
    case .passwordChange(let change):
      let page = self.signInForms.page(
        for: change, action: InteractionPath.changePassword.relativeURL(sealed, self.render.issuer), interaction: interaction.id)
      return render.changePassword(page, policy: .interaction)
    case .signedIn(let account, let credentials):
      let next = try self.server.interactions.choosing(account.id, for: interaction, hasSignedIn: true)
      var response = self.redirect(to: next)
      self.signInForms.set(credentials, on: &response)
      return response
    }
  }

  /// Accepts the consent form. A form without a decision counts as a denial.
  @Sendable func consent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      guard let session = interaction.choice(among: try await self.sessions(of: request)).session else {
        return self.redirect(to: sealed)
      }
      guard
        self.server.csrfTokens.isValid(
          form["csrf"], purpose: "consent", session: session.record, interaction: interaction.id)
        // The form may have been shown for another account. The user must then be asked again, even if this account has
        // consented before.
      else { return self.redirect(to: try self.server.interactions.askingForConsent(interaction)) }
      let isAllowed = form["decision"] == "allow"
      let response = try await self.server.authorization.decide(
        interaction, session: session, allow: isAllowed, from: context.origin)
      context.logger.info(
        isAllowed ? "consent given" : "consent denied", metadata: ["client": "\(interaction.redirect.client.id.rawValue)"])
      return self.render.authorizationResponse(response, to: request, uiLocales: interaction.parameters.uiLocales)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  // MARK: Requests

  /// Returns the interaction from the request's URL. `sealed` is its encrypted form, which the next URL contains again.
  func interaction(of request: Request) async throws -> (interaction: Interaction, sealed: String) {
    guard let query = request.uri.query, let sealed = try FormParameters(parsing: query)[InteractionPath.parameter] else {
      throw AuthorizeError.page(.interactionInvalid)
    }
    return (try await self.server.interactions.open(sealed), sealed)
  }

  func sessions(of request: Request) async throws -> [BrowserSessions.Active] {
    try await self.server.sessions.all(self.cookies.session.value(in: request))
  }

  // MARK: Responses

  /// Redirects to the page of an encrypted interaction.
  func redirect(to sealed: String) -> Response {
    .redirect(seeOther: InteractionPath.page.url(sealed, self.render.issuer))
  }

  /// - Parameters:
  ///   - username: The user name of a failed attempt.
  ///   - returning: The name of the signed-in user, or of the user who signed in last with this browser.
  private func signInPage(
    _ interaction: Interaction, _ sealed: String, username: String? = nil, returning: String? = nil,
    failure: SignInFailure? = nil, missingFactor: SignInPage.MissingFactor? = nil, isOnPublicDevice: Bool = false,
    session: BrowserSessions.Active? = nil, _ request: Request
  ) async -> Response {
    let csrfToken = self.server.csrfTokens.token(purpose: "sign-in", session: nil, interaction: interaction.id)
    var page = SignInPage(
      appName: interaction.redirect.client.name, isVerified: interaction.redirect.isRegisteredByOperator,
      username: username ?? interaction.parameters.loginHint ?? returning ?? "", failure: failure,
      isOnPublicDevice: isOnPublicDevice,
      action: InteractionPath.signIn.relativeURL(sealed, self.render.issuer),
      csrfToken: csrfToken,
      passkey: self.signInForms.passkey(
        action: InteractionPath.passkey.relativeURL(sealed, self.render.issuer), csrfToken: csrfToken, interaction: interaction.id
      ),
      forgotAction: self.signInForms.forgotAction(for: sealed), signUpAction: self.signInForms.signUpAction(for: sealed),
      documentHost: interaction.redirect.client.documentHost,
      facts: AppFacts(interaction.redirect.client), upstreams: await self.signInForms.upstreams())
    page.missingFactor = missingFactor
    let render = self.render.localized(
      for: request, uiLocales: interaction.parameters.uiLocales, account: session?.account)
    return render.signIn(page, policy: .interaction)
  }

  private func consentPage(
    _ interaction: Interaction, _ sealed: String, _ session: BrowserSessions.Active, _ reason: ConsentPolicy.Reason,
    _ request: Request
  ) -> Response {
    let redirect = interaction.redirect
    let known: Scope? = if case .newScopes(let known) = reason { known } else { nil }
    let page = ConsentPage(
      appName: redirect.client.name, isVerified: redirect.isRegisteredByOperator, username: session.account.username.value,
      destination: Destination(redirect.redirectURI), scopes: ScopeLine.lines(interaction.parameters.consentScope, known: known),
      resources: interaction.parameters.resources, reason: ConsentReason(reason), isFirstParty: redirect.client.isFirstParty,
      action: InteractionPath.consent.relativeURL(sealed, self.render.issuer),
      csrfToken: self.server.csrfTokens.token(purpose: "consent", session: session.record, interaction: interaction.id),
      switchAccountAction: InteractionPath.switchAccount.relativeURL(sealed, self.render.issuer),
      documentHost: redirect.client.documentHost, facts: AppFacts(redirect.client))
    let render = self.render.localized(
      for: request, uiLocales: interaction.parameters.uiLocales, account: session.account)
    return render.page(render.pages.consent(page), policy: .interaction)
  }
}

extension Destination {
  init(_ redirectURI: RedirectURI) {
    switch redirectURI.kind {
    case .loopback: self = .thisComputer(port: redirectURI.port.map(Int.init))
    case .privateUse: self = .app(scheme: redirectURI.scheme)
    case .https: self = .website(host: redirectURI.host)
    }
  }
}

extension ConsentReason {
  /// - Returns: Nil for the first request, which needs no explanation, and for an unverified app, which the page marks
  ///   anyway.
  init?(_ reason: ConsentPolicy.Reason) {
    switch reason {
    case .loopback: self = .loopback
    case .privateUseScheme: self = .privateUseScheme
    case .requested: self = .prompt
    case .newScopes: self = .newScopes
    case .firstTime, .unverifiedClient: return nil
    }
  }
}
