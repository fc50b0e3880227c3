import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The pages on which a user enters the code that a device shows, signs in, and consents (RFC 8628 §3.3).
struct DeviceRoutes: Sendable {
  let server: AuthorizationServer
  let render: Renderer
  let cookies: ServerCookies
  let signInForms: SignInForms

  enum Path: String {
    case confirm = "/confirm"
    case signIn = "/sign-in"
    case passkey = "/passkey"
    /// Accepts the code of a second factor, not the device's code.
    case code = "/code"
    case changePassword = "/change-password"
    case consent = "/consent"
    case switchAccount = "/switch-account"

    var path: String { EndpointPath.device + self.rawValue }
  }

  /// The query parameter that contains the encrypted interaction: the state of this sign-in between two pages.
  static var parameter: String { "d" }

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(EndpointPath.device), use: self.form)
    router.post(RouterPath(EndpointPath.device), use: self.enter)
    router.get(RouterPath(Path.confirm.path), use: self.confirm)
    router.get(RouterPath(Path.switchAccount.path), use: self.switchAccount)
    router.post(RouterPath(Path.signIn.path), use: self.signIn)
    router.post(RouterPath(Path.passkey.path), use: self.signInWithPasskey)
    router.post(RouterPath(Path.code.path), use: self.enterCode)
    router.post(RouterPath(Path.changePassword.path), use: self.changePassword)
    router.post(RouterPath(Path.consent.path), use: self.consent)
    for path in [Path.signIn, .passkey, .code, .changePassword, .consent] {
      router.get(RouterPath(path.path), use: self.redirectToPage)
    }
  }

  /// Redirects from a form's address to the page, or to the form for the code if the address contains no valid
  /// interaction. After a failed submission, the form's address stays in the browser's address bar, and the user may
  /// load it again.
  @Sendable func redirectToPage(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    guard let (_, _, sealed) = try? self.interaction(of: request) else {
      return .redirect(seeOther: self.render.issuer.url(appending: EndpointPath.device))
    }
    return .redirect(seeOther: self.url(.confirm, sealed))
  }

  // MARK: The code

  /// Shows the form. If the user opened `verification_uri_complete`, the form already contains the code, and the user
  /// compares the code with the one on the device (RFC 8628 §3.3.1).
  @Sendable func form(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    let query = (try? FormParameters(parsing: request.uri.query ?? "")) ?? FormParameters()
    let account = try? await self.session(of: request)?.account
    return self.page(code: query["user_code"].flatMap { UserCode($0) }, account, request)
  }

  /// Accepts the form with the device's code.
  @Sendable func enter(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let code = form["user_code"].flatMap { UserCode($0) }
      guard self.server.csrfTokens.isValid(form["csrf"], purpose: "device", session: nil, interaction: nil)
      else { return self.page(code: code, failure: .expired, nil, request) }
      guard let code else { return self.page(code: nil, failure: .malformed, nil, request) }
      // Only a signed-in user learns whether the code is valid.
      guard let session = try await self.session(of: request) else {
        return .redirect(seeOther: self.url(.confirm, try self.server.deviceInteractions.seal(code)))
      }
      return try await self.find(code, for: session.account, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Looks up the device for a code that the user entered in one of the server's own forms. An unknown code counts
  /// toward the user's limit on wrong codes.
  private func find(_ code: UserCode, for account: AccountRecord, _ request: Request) async throws -> Response {
    switch try await self.server.deviceVerification.find(code, for: account) {
    case .waiting:
      return .redirect(
        seeOther: self.url(.confirm, try self.server.deviceInteractions.seal(code, foundBy: account.id)))
    case .unknown: return self.page(code: nil, failure: .unknown, account, request)
    case .tooManyMistakes: return self.page(code: nil, failure: .tooManyMistakes, account, request)
    }
  }

  // MARK: Sign-in and consent

  /// Shows the consent page for a device that an earlier request found for the signed-in user. Otherwise shows the
  /// sign-in page or the form for the code.
  ///
  /// Any website can make the user's browser open this address. This request therefore looks up a code only if the user
  /// has entered the code before, and does not count toward the limit on wrong codes.
  @Sendable func confirm(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let (interaction, code, sealed) = try self.interaction(of: request)
      guard let session = try await self.session(of: request) else {
        // The URL shows that the user has signed in, because the device was found for an account.
        let lacksCookie = interaction.foundByAccount != nil && self.cookies.session.value(in: request) == nil
        return await self.signInPage(
          interaction, sealed, username: self.signInForms.lastUsername(in: request) ?? "",
          failure: lacksCookie ? .cookiesNeeded : nil, request)
      }
      guard interaction.foundByAccount == session.account.id.rawValue else {
        return self.page(code: code, session.account, request)
      }
      guard let waiting = try await self.server.deviceVerification.waiting(with: code) else {
        return self.page(code: nil, failure: .unknown, session.account, request)
      }
      guard waiting.accepts(session.record) else {
        let weakSignIn = try await self.signInForms.weakSignIn(for: waiting.requiredLevel, of: session.account)
        return await self.signInPage(
          interaction, sealed, appName: waiting.client.name, failure: weakSignIn.failure,
          missingFactor: weakSignIn.missingFactor, request)
      }
      return self.consentPage(waiting, interaction, code, sealed, session, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  @Sendable func switchAccount(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let (interaction, _, sealed) = try self.interaction(of: request)
      return await self.signInPage(interaction, sealed, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  @Sendable func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, code, sealed) = try self.interaction(of: request)
      let username = form["username"] ?? ""
      guard self.server.csrfTokens.isValid(form["csrf"], purpose: "device sign-in", session: nil, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, username: username, failure: .expired, request) }
      // The device's required level decides whether this sign-in should include a second factor. Look up the code only
      // if a signed-in user has already found a device with it, for example a user whose earlier sign-in was too weak
      // for the device. Otherwise, a user who is not signed in could learn whether the code is valid.
      let waiting = interaction.foundByAccount == nil ? nil : try await self.server.deviceVerification.waiting(with: code)
      let wantsSecondFactor = waiting?.requiredLevel == .twoFactors
      if let upstream = form["upstream"] {
        return try await self.begin(
          upstream, interaction, sealed, wantsCode: wantsSecondFactor, isOnPublicDevice: form.isOnPublicDevice, request,
          context)
      }
      let outcome = try await self.signInForms.signIn(
        form, request, context, interaction: interaction.id, wantsSecondFactor: wantsSecondFactor)
      return try await self.response(
        to: outcome, interaction, code, sealed, username: username, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Redirects the browser to an upstream: another OpenID provider, at which the user signs in.
  private func begin(
    _ upstream: String, _ interaction: DeviceInteraction, _ sealed: String, wantsCode: Bool, isOnPublicDevice: Bool,
    _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    let purpose = UpstreamPurpose(
      .device, destination: sealed, interaction: interaction.id, wantsCode: wantsCode, isOnPublicDevice: isOnPublicDevice)
    var hints = UpstreamHints()
    // A signed-in user sees the sign-in page after following the link for another account, or if the device requires a
    // stronger sign-in. Because the user may want another account, the upstream must let the user choose one.
    if try await self.session(of: request) != nil { hints.prompt.insert(.selectAccount) }
    switch try await self.signInForms.beginUpstreamSignIn(upstream, for: purpose, hints, request, context) {
    case .response(let response): return response
    case .failed(let failure): return await self.signInPage(interaction, sealed, failure: failure, request)
    }
  }

  /// Returns the response to a sign-in through an upstream.
  func response(
    to outcome: SignInForms.Outcome, sealed: String, isOnPublicDevice: Bool, _ request: Request
  ) async throws -> Response {
    let (interaction, code) = try self.server.deviceInteractions.open(sealed)
    return try await self.response(to: outcome, interaction, code, sealed, isOnPublicDevice: isOnPublicDevice, request)
  }

  /// Accepts the form with a passkey.
  @Sendable func signInWithPasskey(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, code, sealed) = try self.interaction(of: request)
      guard self.server.csrfTokens.isValid(form["csrf"], purpose: "device sign-in", session: nil, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, failure: .expired, request) }
      let outcome = try await self.signInForms.signInWithPasskey(form, request, context, interaction: interaction.id)
      return try await self.response(
        to: outcome, interaction, code, sealed, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the code that a sign-in requires as its second step.
  @Sendable func enterCode(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, code, sealed) = try self.interaction(of: request)
      guard self.signInForms.isValidCodeForm(form, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, failure: .expired, request) }
      let outcome = try await self.signInForms.enterCode(form, request, context, interaction: interaction.id)
      return try await self.response(
        to: outcome, interaction, code, sealed, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the form on which the user chooses a new password.
  @Sendable func changePassword(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, code, sealed) = try self.interaction(of: request)
      guard self.server.csrfTokens.isValid(form["csrf"], purpose: "change password", session: nil, interaction: interaction.id)
      else { return await self.signInPage(interaction, sealed, failure: .expired, request) }
      let outcome = try await self.signInForms.changePassword(form, request, context)
      return try await self.response(
        to: outcome, interaction, code, sealed, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  /// Returns the response to a step of the sign-in.
  private func response(
    to outcome: SignInForms.Outcome, _ interaction: DeviceInteraction, _ code: UserCode, _ sealed: String,
    username: String = "", isOnPublicDevice: Bool, _ request: Request
  ) async throws -> Response {
    let render = self.render.localized(for: request)
    switch outcome {
    case .failed(let failure):
      return await self.signInPage(
        interaction, sealed, username: username, failure: failure, isOnPublicDevice: isOnPublicDevice, request)
    case .code(let entry):
      let page = self.signInForms.page(
        for: entry, action: self.relativeURL(.code, sealed), interaction: interaction.id,
        startOver: self.relativeURL(.switchAccount, sealed))
      return render.secondFactor(page, policy: .standalone)
    case .passwordChange(let change):
      return render.changePassword(
        self.signInForms.page(for: change, action: self.relativeURL(.changePassword, sealed), interaction: interaction.id),
        policy: .standalone)
    case .signedIn(let account, let credentials):
      var response = try await self.find(code, for: account, request)
      self.signInForms.set(credentials, on: &response)
      return response
    }
  }

  /// Accepts the consent form. A form without a decision counts as a denial.
  @Sendable func consent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (interaction, code, sealed) = try self.interaction(of: request)
      guard let session = try await self.session(of: request),
        self.server.csrfTokens.isValid(
          form["csrf"], purpose: "device consent", session: session.record, interaction: interaction.id),
        interaction.foundByAccount == session.account.id.rawValue
      else { return .redirect(seeOther: self.url(.confirm, sealed)) }
      let verification = self.server.deviceVerification
      if let waiting = try await verification.waiting(with: code) {
        let outcome = try await verification.decide(
          waiting, session: session, allow: form["decision"] == "allow", from: context.origin)
        switch outcome {
        case .allowed, .denied:
          context.logger.info("device decided", metadata: ["client": "\(waiting.client.id.rawValue)"])
          return self.decisionPage(outcome == .allowed, waiting.client, session, request)
        case .strongerSignInNeeded: return .redirect(seeOther: self.url(.confirm, sealed))
        case .unknown: break
        }
      }
      // The browser sends the form again after it has lost the response, for example after a double click.
      guard let (client, isAllowed) = try await verification.decided(with: code, in: session.record) else {
        return self.page(code: nil, failure: .unknown, session.account, request)
      }
      return self.decisionPage(isAllowed, client, session, request)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  // MARK: Requests

  /// Returns the interaction from the request's URL. `sealed` is its encrypted form, which the next URL contains again.
  private func interaction(
    of request: Request
  ) throws -> (interaction: DeviceInteraction, code: UserCode, sealed: String) {
    guard let query = request.uri.query, let sealed = try FormParameters(parsing: query)[Self.parameter] else {
      throw AuthorizeError.page(.interactionInvalid)
    }
    let (interaction, code) = try self.server.deviceInteractions.open(sealed)
    return (interaction, code, sealed)
  }

  private func session(of request: Request) async throws -> BrowserSessions.Active? {
    try await self.server.sessions.active(self.cookies.session.value(in: request))
  }

  /// - Parameter sealed: The encrypted interaction.
  private func url(_ path: Path, _ sealed: String) -> String {
    "\(self.render.issuer.url(appending: path.path))?\(Self.parameter)=\(sealed)"
  }

  /// Returns the URL without its origin, for a form or a link.
  private func relativeURL(_ path: Path, _ sealed: String) -> String {
    "\(self.render.issuer.path)\(path.path)?\(Self.parameter)=\(sealed)"
  }

  // MARK: Responses

  /// Returns the page with the form for the code. After a failure, the page also says why the code was not accepted.
  /// - Parameter account: The signed-in user, whose language the page has; nil if no user is signed in, or if the
  ///   session was not looked up.
  private func page(
    code: UserCode?, failure: DevicePage.Failure? = nil, _ account: AccountRecord?, _ request: Request
  ) -> Response {
    let page = DevicePage(
      userCode: code?.description ?? "", failure: failure, action: self.render.issuer.path + EndpointPath.device,
      csrfToken: self.server.csrfTokens.token(purpose: "device", session: nil, interaction: nil))
    let render = self.render.localized(for: request, account: account)
    return render.page(render.pages.device(page), status: failure?.status ?? .ok)
  }

  private func signInPage(
    _ interaction: DeviceInteraction, _ sealed: String, appName: String = "", username: String = "",
    failure: SignInFailure? = nil, missingFactor: SignInPage.MissingFactor? = nil, isOnPublicDevice: Bool = false,
    _ request: Request
  ) async -> Response {
    let csrfToken = self.server.csrfTokens.token(purpose: "device sign-in", session: nil, interaction: interaction.id)
    var page = SignInPage(
      appName: appName, username: username, failure: failure, isOnPublicDevice: isOnPublicDevice,
      action: self.relativeURL(.signIn, sealed), csrfToken: csrfToken,
      passkey: self.signInForms.passkey(
        action: self.relativeURL(.passkey, sealed), csrfToken: csrfToken, interaction: interaction.id),
      forgotAction: self.signInForms.forgotAction(), signUpAction: self.signInForms.signUpAction(),
      upstreams: await self.signInForms.upstreams(), purpose: .device)
    page.missingFactor = missingFactor
    return self.render.localized(for: request).signIn(page, policy: .standalone)
  }

  /// Returns the page that confirms the user's decision.
  private func decisionPage(
    _ isAllowed: Bool, _ client: ClientRecord, _ session: BrowserSessions.Active, _ request: Request
  ) -> Response {
    let render = self.render.localized(for: request, account: session.account)
    let page = DevicePage(decision: isAllowed ? .allowed : .denied, appName: client.name)
    return render.page(render.pages.device(page))
  }

  /// Returns the consent page. It is shown even if the user has consented before, because nothing proves which device
  /// is waiting (RFC 8252 §8.6, rule S-14, and RFC 8628 §5.4).
  private func consentPage(
    _ waiting: DeviceVerification.WaitingDevice, _ interaction: DeviceInteraction, _ code: UserCode, _ sealed: String,
    _ session: BrowserSessions.Active, _ request: Request
  ) -> Response {
    let page = ConsentPage(
      appName: waiting.client.name, isVerified: waiting.client.origin == .operator,
      username: session.account.username.value, destination: .otherDevice(code: code.description),
      scopes: ScopeLine.lines(waiting.device.scope), resources: waiting.device.resources, reason: .otherDevice,
      action: self.relativeURL(.consent, sealed),
      csrfToken: self.server.csrfTokens.token(
        purpose: "device consent", session: session.record, interaction: interaction.id),
      switchAccountAction: self.relativeURL(.switchAccount, sealed), documentHost: waiting.client.documentHost,
      facts: AppFacts(waiting.client))
    let render = self.render.localized(for: request, account: session.account)
    return render.page(render.pages.consent(page))
  }
}

extension DevicePage.Failure {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .malformed, .expired: .badRequest
    case .unknown: .notFound
    case .tooManyMistakes: .tooManyRequests
    }
  }
}
