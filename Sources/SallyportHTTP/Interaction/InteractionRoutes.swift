import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// Sign-in and consent: one address shows whatever comes next, two take the forms.
struct InteractionRoutes: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookie: SessionCookie
  let attempt: SignInAttempt

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(InteractionPath.page.rawValue), use: self.page)
    router.get(RouterPath(InteractionPath.switchAccount.rawValue), use: self.switchAccount)
    router.post(RouterPath(InteractionPath.signIn.rawValue), use: self.signIn)
    router.post(RouterPath(InteractionPath.changePassword.rawValue), use: self.changePassword)
    router.post(RouterPath(InteractionPath.consent.rawValue), use: self.consent)
    router.get(RouterPath(InteractionPath.signIn.rawValue), use: self.pageOfForm)
    router.get(RouterPath(InteractionPath.changePassword.rawValue), use: self.pageOfForm)
    router.get(RouterPath(InteractionPath.consent.rawValue), use: self.pageOfForm)
  }

  /// The address of a form that came back refused stays in the browser's address bar, and is opened again from there.
  @Sendable func pageOfForm(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let (_, sealed) = try await self.interaction(of: request)
      return .redirect(seeOther: InteractionPath.page.url(sealed, self.render.issuer))
    } catch {
      return self.render.refusal(error, context)
    }
  }

  /// What the person has to do now. A view writes nothing.
  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let (interaction, sealed) = try await self.interaction(of: request)
      let session = try await self.session(of: request)
      switch try await self.server.authorization.next(interaction, session: session, from: context.origin) {
      case .signIn: return self.signInPage(interaction, sealed, returning: self.attempt.lastUsername(in: request))
      case .consent(_, let reason):
        guard let session else { return self.signInPage(interaction, sealed) }
        return self.consentPage(interaction, sealed, session, reason)
      case .answer(let answer): return self.render.answer(answer)
      }
    } catch {
      return self.render.refusal(error, context)
    }
  }

  /// The same request with another person.
  @Sendable func switchAccount(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let (interaction, _) = try await self.interaction(of: request)
      let sealed = try self.server.interactions.restartingSignIn(interaction)
      return .redirect(seeOther: InteractionPath.page.url(sealed, self.render.issuer))
    } catch {
      return self.render.refusal(error, context)
    }
  }

  /// The sign-in form comes back.
  @Sendable func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      let username = form["username"] ?? ""
      guard request.isSameOrigin(as: self.render.issuer),
        self.server.csrfTokens.isValid(form["csrf"], purpose: "sign-in", session: nil, interaction: interaction.id)
      else { return self.signInPage(interaction, sealed, username: username, failure: .expired) }

      return self.next(try await self.attempt.run(form, request, context), interaction, sealed, username: username)
    } catch {
      return self.render.refusal(error, context)
    }
  }

  /// The form for a new password comes back.
  @Sendable func changePassword(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      guard request.isSameOrigin(as: self.render.issuer),
        self.server.csrfTokens.isValid(form["csrf"], purpose: "change password", session: nil, interaction: interaction.id)
      else { return self.signInPage(interaction, sealed, failure: .expired) }
      return self.next(try await self.attempt.changePassword(form, request, context), interaction, sealed)
    } catch {
      return self.render.refusal(error, context)
    }
  }

  /// What follows a form with a password.
  private func next(
    _ outcome: SignInAttempt.Outcome, _ interaction: Interaction, _ sealed: String, username: String? = nil
  ) -> Response {
    switch outcome {
    case .failed(let failure): return self.signInPage(interaction, sealed, username: username, failure: failure)
    case .passwordChange(let change): return self.changePasswordPage(change, interaction, sealed)
    case .signedIn(_, let cookies):
      var response = Response.redirect(seeOther: InteractionPath.page.url(sealed, self.render.issuer))
      self.attempt.set(cookies, on: &response)
      return response
    }
  }

  /// The consent form comes back. An absent decision is a denial.
  @Sendable func consent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, sealed) = try await self.interaction(of: request)
      guard let session = try await self.session(of: request), request.isSameOrigin(as: self.render.issuer),
        self.server.csrfTokens.isValid(
          form["csrf"], purpose: "consent", session: session.record, interaction: interaction.id)
      else { return .redirect(seeOther: InteractionPath.page.url(sealed, self.render.issuer)) }
      let answer = try await self.server.authorization.decide(
        interaction, session: session, allow: form["decision"] == "allow", from: context.origin)
      context.logger.info("consent given", metadata: ["client": "\(interaction.redirect.client.id.rawValue)"])
      return self.render.answer(answer)
    } catch {
      return self.render.refusal(error, context)
    }
  }

  // MARK: Reading

  private func interaction(of request: Request) async throws -> (interaction: Interaction, sealed: String) {
    guard let query = request.uri.query, let sealed = try FormParameters(parsing: query)[InteractionPath.parameter] else {
      throw AuthorizeError.page(.interactionInvalid)
    }
    return (try await self.server.interactions.open(sealed), sealed)
  }

  private func session(of request: Request) async throws -> BrowserSessions.Active? {
    try await self.server.sessions.active(self.cookie.value(in: request))
  }

  // MARK: Pages

  private func signInPage(
    _ interaction: Interaction, _ sealed: String, username: String? = nil, returning: String? = nil, failure: SignInFailure? = nil
  ) -> Response {
    let page = SignInPage(
      appName: interaction.redirect.client.name, isVerified: interaction.redirect.isVouchedFor,
      username: username ?? interaction.loginHint ?? returning ?? "", failure: failure,
      action: InteractionPath.signIn.relative(sealed, self.render.issuer),
      csrfToken: self.server.csrfTokens.token(purpose: "sign-in", session: nil, interaction: interaction.id),
      documentHost: interaction.redirect.client.documentHost, facts: AppFacts(interaction.redirect.client))
    return self.render.signIn(page, policy: .interaction)
  }

  private func changePasswordPage(
    _ change: SignInAttempt.PasswordChange, _ interaction: Interaction, _ sealed: String
  ) -> Response {
    let page = self.attempt.page(
      for: change, action: InteractionPath.changePassword.relative(sealed, self.render.issuer), interaction: interaction.id)
    return self.render.changePassword(page, policy: .interaction)
  }

  private func consentPage(
    _ interaction: Interaction, _ sealed: String, _ session: BrowserSessions.Active, _ reason: ConsentPolicy.Reason
  ) -> Response {
    let redirect = interaction.redirect
    let page = ConsentPage(
      appName: redirect.client.name, isVerified: redirect.isVouchedFor, username: session.account.username.value,
      destination: Destination(redirect.redirectURI), scopes: ScopeLine.lines(interaction.shownScope),
      resources: interaction.resources, asksAgainReason: AsksAgain(reason), isFirstParty: redirect.client.isFirstParty,
      action: InteractionPath.consent.relative(sealed, self.render.issuer),
      csrfToken: self.server.csrfTokens.token(purpose: "consent", session: session.record, interaction: interaction.id),
      switchAccountAction: InteractionPath.switchAccount.relative(sealed, self.render.issuer),
      documentHost: redirect.client.documentHost, facts: AppFacts(redirect.client))
    return self.render.page(self.render.pages.consent(page), policy: .interaction)
  }
}

extension SignInFailure {
  /// A page that says no is not an answer to be kept or retried as a success. Not 401, which would have to name a challenge
  /// (RFC 9110 §15.5.2).
  var status: HTTPResponse.Status {
    switch self {
    case .wrongCredentials: .forbidden
    case .slowed: .tooManyRequests
    case .busy: .serviceUnavailable
    case .expired: .badRequest
    }
  }
}

extension Destination {
  /// Where the answer goes, as the person is told.
  init(_ redirectURI: RedirectURI) {
    switch redirectURI.kind {
    case .loopback: self = .thisComputer(port: redirectURI.port.map(Int.init))
    case .privateUse: self = .app(scheme: redirectURI.scheme)
    case .https: self = .website(host: redirectURI.host)
    }
  }
}

extension AsksAgain {
  /// - Returns: nil where the person is asked for the first time, which needs no reason.
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
