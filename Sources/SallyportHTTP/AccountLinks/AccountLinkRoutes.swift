import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The pages of one-time links.
///
/// A GET or HEAD request for a link changes nothing, because mail filters open links. Only the form on the page of the
/// link consumes the link. If the link is for choosing a password (an invitation or a reset), the response to the form
/// sets a cookie with a proof that the link was used, and redirects to the page on which the user chooses the password.
/// That page has no token in its address.
struct AccountLinkRoutes: Sendable {
  let requests: AccountRequests
  private var links: AccountLinks { self.requests.server.accountLinks }

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.link.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.link.rawValue), use: self.use)
    router.get(RouterPath(AccountPath.chosenPassword.rawValue), use: self.passwordPage)
    router.post(RouterPath(AccountPath.chosenPassword.rawValue), use: self.setPassword)
  }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let query = (try? FormParameters(parsing: request.uri.query ?? "")) ?? FormParameters()
      guard let token = query[AccountLinks.parameter], let found = try await self.links.find(token) else {
        return await self.requests.invalidLink(request, context)
      }
      if found.link.purpose == .emailVerification, try await self.requests.session(of: request)?.account.id != found.account.id {
        return self.signInNeeded(found, request)
      }
      let page = AccountLinkPage(
        AccountLinkPage.Content(found.link), username: found.account.username.value, action: self.requests.path(.link),
        form: (csrfToken: self.csrfToken(.link, token), token: token))
      let render = await self.requests.localizedRender(for: request, account: found.account)
      return self.requests.withoutReferrer(render.page(render.pages.accountLink(page)))
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the form on the page of a link.
  @Sendable func use(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      guard let token = form["token"],
        self.isValid(form, .link, token), let found = try await self.links.find(token)
      else { return await self.requests.invalidLink(request, context) }
      if found.link.purpose == .emailVerification { return try await self.confirmEmail(found, token, request, context) }
      guard let proof = try await self.links.consume(token, from: context.origin(of: request)) else {
        return await self.requests.invalidLink(request, context)
      }
      context.logger.info("one-time link used", metadata: ["account": "\(found.account.id.rawValue)"])
      var response = Response.redirect(seeOther: self.requests.render.issuer.url(appending: AccountPath.chosenPassword.rawValue))
      self.requests.cookies.linkProof.set(proof, on: &response)
      return response
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  private func confirmEmail(
    _ found: AccountLinks.ValidLink, _ token: String, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    guard let session = try await self.requests.session(of: request), session.account.id == found.account.id else {
      return self.signInNeeded(found, request)
    }
    switch try await self.links.confirmEmail(token, in: session, from: context.origin(of: request)) {
    case .done:
      context.logger.info("email address confirmed", metadata: ["account": "\(found.account.id.rawValue)"])
      return self.requests.redirect(with: .emailConfirmed, session)
    // The session is too weak for this change. After a new sign-in, the user opens the link again.
    case .signInNeeded: return self.requests.redirectToSignIn(for: .email)
    case .nothingToDo, .notAllowed: return await self.requests.invalidLink(request, context)
    // The session has ended in the meantime.
    case .signedOut: return self.signInNeeded(found, request)
    }
  }

  // MARK: Passwords

  @Sendable func passwordPage(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      guard let proof = self.requests.cookies.linkProof.value(in: request),
        let account = try await self.links.account(forProof: proof)
      else { return await self.requests.invalidLink(request, context) }
      return try await self.passwordPage(account, proof, failure: nil, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Sets the password. The user then signs in, with every factor that the account requires.
  @Sendable func setPassword(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      guard let proof = self.requests.cookies.linkProof.value(in: request),
        self.isValid(form, .linkPassword, proof)
      else { return await self.requests.invalidLink(request, context) }
      let outcome = try await self.links.setPassword(
        Secret(form["new-password"] ?? ""), repeated: Secret(form["new-password-repeat"] ?? ""), proof: proof,
        from: context.origin(of: request))
      switch outcome {
      case .expired: return await self.requests.invalidLink(request, context)
      case .rejected(let account, let reason): return try await self.passwordPage(account, proof, failure: .init(reason), request)
      case .done(let account):
        context.logger.info("password set with a one-time link", metadata: ["account": "\(account.id.rawValue)"])
        var page = AccountLinkPage(.passwordSet, username: account.username.value, action: self.requests.path(.page))
        page.passkeyAction = self.requests.passkeyAction
        let render = await self.requests.localizedRender(for: request, account: account)
        // If the user came from an app's request, the browser returns to that request.
        var response =
          await self.requests.signInForms.continuation.resume(request, as: account.username.value)
          ?? render.page(render.pages.accountLink(page))
        self.requests.cookies.linkProof.clear(on: &response)
        return response
      }
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  private func passwordPage(
    _ account: AccountRecord, _ proof: String, failure: ChangePasswordPage.Failure?, _ request: Request
  ) async throws -> Response {
    let policy = try await self.requests.server.accounts.policy(for: account)
    let page = ChangePasswordPage(
      username: account.username.value, failure: failure, minimumLength: policy.minimumLength,
      action: self.requests.path(.chosenPassword),
      csrfToken: self.csrfToken(.linkPassword, proof), proof: nil, isFirst: !account.hasPassword, signsOut: account.hasPassword)
    let render = await self.requests.localizedRender(for: request, account: account)
    return render.changePassword(page, policy: .standalone)
  }

  // MARK: Parts

  /// Returns a CSRF token that is bound to a link instead of a session, because the user need not be signed in.
  /// - Parameter subject: The token of the link, or the proof that the link was used in this browser.
  private func csrfToken(_ purpose: AccountRequests.Purpose, _ subject: String) -> String {
    self.requests.csrfToken(purpose, nil, subject)
  }

  private func isValid(_ form: FormParameters, _ purpose: AccountRequests.Purpose, _ subject: String) -> Bool {
    self.requests.server.csrfTokens.isValid(form["csrf"], purpose: purpose.rawValue, session: nil, interaction: subject)
  }

  private func signInNeeded(_ found: AccountLinks.ValidLink, _ request: Request) -> Response {
    let page = AccountLinkPage(.signInNeeded, username: found.account.username.value, action: self.requests.path(.page))
    let render = self.requests.render.localized(for: request, account: found.account)
    return self.requests.withoutReferrer(render.page(render.pages.accountLink(page)))
  }
}

extension AccountLinkPage.Content {
  fileprivate init(_ link: AccountLinkRecord) {
    switch link.purpose {
    case .invitation: self = .invitation
    case .passwordReset: self = .passwordReset
    case .emailVerification: self = .emailVerification(email: link.email ?? "")
    }
  }
}

extension ChangePasswordPage.Failure {
  fileprivate init(_ reason: PasswordSignIn.ChangeFailure) {
    switch reason {
    case .entriesDiffer: self = .entriesDiffer
    case .violation(let violation): self = .notAccepted(violation)
    case .throttled(let wait): self = .throttled(seconds: Int(wait.components.seconds) + 1)
    case .overloaded: self = .busy
    }
  }
}
