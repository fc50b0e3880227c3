import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The pages that a user sees after opening a link that was mailed for sign-up.
///
/// A GET or HEAD request for a link changes nothing, because mail filters open links. Only the form on the page of the
/// link consumes the link. The response to the form sets a cookie, and redirects to the page on which the user chooses
/// a user name and a password. That page has no token in its address.
struct NewAccountRoutes: Sendable {
  let requests: AccountRequests
  let signUps: SignUps

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.signUpLink.rawValue), use: self.linkPage)
    router.post(RouterPath(AccountPath.signUpLink.rawValue), use: self.use)
    router.get(RouterPath(AccountPath.newAccount.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.newAccount.rawValue), use: self.create)
  }

  // MARK: The link

  @Sendable func linkPage(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let query = (try? FormParameters(parsing: request.uri.query ?? "")) ?? FormParameters()
      let token = query[AccountLinks.parameter] ?? ""
      guard let found = try await self.signUps.find(token) else { return try await self.invalidLink(token, request, context) }
      let page = AccountLinkPage(
        .signUp(email: found.email), username: "", action: self.requests.path(.signUpLink),
        form: (csrfToken: self.requests.csrfToken(.signUpLink, nil, token), token: token))
      let render = await self.requests.localizedRender(for: request)
      return self.requests.withoutReferrer(render.page(render.pages.accountLink(page)))
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  @Sendable func use(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let token = form["token"] ?? ""
      guard self.isValid(form, .signUpLink, token),
        let proof = try await self.signUps.consume(token)
      else { return try await self.invalidLink(token, request, context) }
      context.logger.info("link for sign-up used")
      var response = Response.redirect(seeOther: self.requests.render.issuer.url(appending: AccountPath.newAccount.rawValue))
      self.requests.cookies.signUpProof.set(proof, on: &response)
      return response
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Returns the error page for a link that cannot be used. If the operator has changed who can sign up, the page says
  /// that sign-up is closed.
  private func invalidLink(_ token: String, _ request: Request, _ context: ServerRequestContext) async throws -> Response {
    guard try await self.signUps.isClosed(token) else { return await self.requests.invalidLink(request, context) }
    return await self.requests.closedSignUp(request, context)
  }

  // MARK: The account

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      guard let proof = self.requests.cookies.signUpProof.value(in: request),
        let link = try await self.signUps.signUpLink(forProof: proof)
      else { return await self.requests.invalidLink(request, context) }
      return await self.page(link, proof, nil, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Creates the account. The user then signs in.
  @Sendable func create(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      guard let proof = self.requests.cookies.signUpProof.value(in: request),
        let link = try await self.signUps.signUpLink(forProof: proof)
      else { return await self.requests.invalidLink(request, context) }
      guard self.isValid(form, .newAccount, proof) else {
        return await self.page(link, proof, form, request, failure: .expired)
      }
      let newAccount = SignUps.NewAccount(
        username: form["username"] ?? "", name: form["name"] ?? "", password: Secret(form["new-password"] ?? ""),
        repeatedPassword: Secret(form["new-password-repeat"] ?? ""))
      switch try await self.signUps.create(newAccount, proof: proof, from: context.origin(of: request)) {
      case .done(let account): return await self.done(account, request, context)
      case .rejected(let link, let failure):
        return await self.page(link, proof, form, request, failure: NewAccountPage.Failure(failure))
      case .accountExists:
        let text = ErrorText(
          status: .conflict, title: .errorAccountExists, explanation: .errorAccountExistsExplanation,
          advice: .errorAccountExistsAdvice)
        return await self.requests.render.errorPage(text, request, context)
      case .expired: return await self.requests.invalidLink(request, context)
      }
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Continues the app's request that led to the sign-up, if the request began in this browser. Otherwise, shows that
  /// the account is ready.
  private func done(_ account: AccountRecord, _ request: Request, _ context: ServerRequestContext) async -> Response {
    context.logger.info("account created", metadata: ["account": "\(account.id.rawValue)"])
    var page = AccountLinkPage(.accountCreated, username: account.username.value, action: self.requests.path(.page))
    page.passkeyAction = self.requests.passkeyAction
    let render = await self.requests.localizedRender(for: request, account: account)
    var response =
      await self.requests.signInForms.continuation.resume(request, as: account.username.value)
      ?? render.page(render.pages.accountLink(page))
    self.requests.cookies.signUpProof.clear(on: &response)
    return response
  }

  // MARK: Parts

  private func page(
    _ link: SignUpRecord, _ proof: String, _ form: FormParameters?, _ request: Request,
    failure: NewAccountPage.Failure? = nil
  ) async -> Response {
    let page = NewAccountPage(
      email: link.email, username: form?["username"] ?? "", name: form?["name"] ?? "", failure: failure,
      minimumLength: self.requests.server.configuration.passwords.minimumLength, action: self.requests.path(.newAccount),
      csrfToken: self.requests.csrfToken(.newAccount, nil, proof))
    let render = await self.requests.localizedRender(for: request)
    return render.page(
      render.pages.newAccount(page), status: failure?.status ?? .ok, retryAfter: failure?.retryAfter)
  }

  /// - Parameter subject: The token of the link, or the proof that the link was used in this browser.
  private func isValid(_ form: FormParameters, _ purpose: AccountRequests.Purpose, _ subject: String) -> Bool {
    self.requests.server.csrfTokens.isValid(form["csrf"], purpose: purpose.rawValue, session: nil, interaction: subject)
  }
}

extension NewAccountPage.Failure {
  fileprivate init(_ failure: SignUps.Failure) {
    switch failure {
    case .usernameInvalid: self = .usernameInvalid
    case .usernameTaken: self = .usernameTaken
    case .nameInvalid: self = .nameInvalid
    case .entriesDiffer: self = .entriesDiffer
    case .password(let violation): self = .passwordNotAccepted(violation)
    case .overloaded: self = .busy
    case .throttled: self = .throttled
    }
  }

  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .usernameInvalid, .nameInvalid, .entriesDiffer, .passwordNotAccepted, .expired: .badRequest
    case .usernameTaken: .conflict
    case .busy: .serviceUnavailable
    case .throttled: .tooManyRequests
    }
  }
}
