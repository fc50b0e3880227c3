import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// Sets up and removes the authenticator app, and creates recovery codes.
struct AccountTwoStepRoutes: Sendable {
  let requests: AccountRequests

  private var twoStep: TwoStepVerification { self.requests.server.twoStepVerification }

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.authenticator.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.authenticator.rawValue), use: self.addApp)
    router.post(RouterPath(AccountPath.twoStep.rawValue), use: self.change)
    router.get(RouterPath(AccountPath.twoStep.rawValue)) { _, _ in self.requests.redirect(to: .twoStep) }
  }

  /// Shows a new secret for the authenticator app. The secret is stored only after the user has entered a code.
  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      guard let session = try await self.requests.session(of: request) else {
        return try await self.requests.signInPage(for: .authenticator, nil, request)
      }
      guard try await self.requests.permits(.authenticator, session) else {
        return self.requests.redirectToSignIn(for: .authenticator)
      }
      guard try await !self.requests.server.selfService.factors(of: session.account.id).hasTOTP,
        let enrollment = self.twoStep.enrollment(for: session)
      else { return self.requests.redirect(to: .twoStep) }
      return self.response(enrollment, session, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Stores the secret of the app if the user has entered one of its codes.
  @Sendable func addApp(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.authenticator, requiringRecentSignInFor: .authenticator, request, context) { form, session in
      let sealed = Secret(form["enrollment"] ?? "")
      let addition = try await self.twoStep.add(
        code: form["code"] ?? "", enrollment: sealed, session: session, from: context.origin(of: request))
      switch addition {
      case .added(let codes):
        context.logger.info("authenticator app added", metadata: ["account": "\(session.account.id.rawValue)"])
        // `codes` is nil if the account still has unused recovery codes, because then no new ones are created.
        return codes.map { self.requests.recoveryCodesPage($0, .appAdded, session, request) }
          ?? self.requests.redirect(with: .appAdded, session)
      case .wrongCode:
        guard let enrollment = self.twoStep.enrollment(reopening: sealed, for: session) else {
          return self.requests.redirect(with: .expired, session)
        }
        return self.response(enrollment, session, isCodeWrong: true, request)
      case .expired: return self.requests.redirect(with: .expired, session)
      case .failed(let outcome): return self.requests.response(to: outcome, .appAdded, .authenticator, session)
      }
    }
  }

  @Sendable func change(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, requiringRecentSignInFor: .twoStep, request, context) { form, session in
      switch form["action"] {
      case "remove-app":
        let outcome = try await self.twoStep.remove(session: session, from: context.origin(of: request))
        return self.requests.response(to: outcome, .appRemoved, .twoStep, session)
      case "new-codes":
        // The page with the new codes is a response to this form. If the user reloads it, the browser sends the form
        // again, which must not replace the codes that the user has just written down.
        let (codes, outcome) = try await self.twoStep.createRecoveryCodes(
          replacing: form["replaces"], session: session, from: context.origin(of: request))
        return codes.map { self.requests.recoveryCodesPage($0, .newCodes, session, request) }
          ?? self.requests.response(to: outcome, .unchanged, .twoStep, session)
      default: return self.requests.redirect(with: .unchanged, session)
      }
    }
  }

  private func response(
    _ enrollment: TOTPEnrollment, _ session: BrowserSessions.Active, isCodeWrong: Bool = false, _ request: Request
  ) -> Response {
    let page = AuthenticatorAppPage(
      qrCode: QRCode(enrollment.uri), secret: enrollment.secret, enrollment: enrollment.sealed, isCodeWrong: isCodeWrong,
      action: self.requests.path(.authenticator), csrfToken: self.requests.csrfToken(.authenticator, session),
      cancelAction: self.requests.path(.page))
    let render = self.requests.render.localized(for: request, account: session.account)
    return render.page(
      render.pages.authenticatorApp(page), status: isCodeWrong ? .badRequest : .ok, policy: .standalone)
  }
}
