import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// Sign-in for the account page, and the repeated sign-in that sensitive changes require.
struct AccountSignInRoutes: Sendable {
  let requests: AccountRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.signIn.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.signIn.rawValue), use: self.signIn)
    router.post(RouterPath(AccountPath.passkeySignIn.rawValue), use: self.signInWithPasskey)
    router.post(RouterPath(AccountPath.code.rawValue), use: self.enterCode)
    router.post(RouterPath(AccountPath.requiredPassword.rawValue), use: self.changePassword)
    // After a failed submission, the form's address stays in the browser's address bar, and the user may load it again.
    for path in [AccountPath.passkeySignIn, .code, .requiredPassword] {
      router.get(RouterPath(path.rawValue)) { request, _ in self.requests.redirect(to: self.requests.target(of: request)) }
    }
  }

  /// The query parameter in the address to which a sign-in redirects. It shows whether the browser has kept the session
  /// cookie.
  private static var signedIn: String { "signed-in" }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let target = self.requests.target(of: request)
      let session = try await self.requests.session(of: request)
      if (try? FormParameters(parsing: request.uri.query ?? ""))?[Self.signedIn] != nil {
        if session != nil { return self.requests.redirect(to: target) }
        let lacksCookie = self.requests.cookies.session.value(in: request) == nil
        return try await self.requests.signInPage(for: target, nil, failure: lacksCookie ? .cookiesNeeded : nil, request)
      }
      if let session, target != .anotherAccount, try await self.requests.permits(target, session) {
        return self.requests.redirect(to: target)
      }
      return try await self.requests.signInPage(for: target, session, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the sign-in form.
  ///
  /// A form on which the signed-in user must sign in again is accepted only for that user. A form that was loaded while
  /// no user was signed in (for example, in another tab), or that was loaded to sign in to another account, is accepted
  /// for any user.
  @Sendable func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let target = self.requests.target(of: request)
      let session = try await self.requests.session(of: request)
      let username = form["username"] ?? ""
      let isConfirmation = session != nil && self.requests.isValid(form, .confirmation, session)
      guard isConfirmation || self.requests.isValid(form, .signIn, nil)
      else { return try await self.requests.signInPage(for: target, session, username: username, failure: .expired, request) }
      if let upstream = form["upstream"] {
        return try await self.begin(
          upstream, target, confirming: isConfirmation ? session : nil, isOnPublicDevice: form.isOnPublicDevice, request, context)
      }
      if isConfirmation, Username(username) != session?.account.username {
        return try await self.requests.signInPage(for: target, session, failure: .otherUser, request)
      }
      let binding = self.requests.binding(confirming: isConfirmation ? session : nil)
      let outcome = try await self.requests.signInForms.signIn(
        form, request, context, interaction: binding, wantsSecondFactor: target.isSensitive)
      return try await self.response(
        to: outcome, target, binding, username: username, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Redirects the browser to an upstream: another OpenID provider, at which the user signs in.
  /// - Parameter session: The session whose user must confirm a change; nil for a sign-in of any user.
  private func begin(
    _ upstream: String, _ target: AccountTarget, confirming session: BrowserSessions.Active?, isOnPublicDevice: Bool,
    _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    let purpose = UpstreamPurpose(
      .account, destination: target.rawValue, interaction: self.requests.binding(confirming: session),
      wantsCode: target.isSensitive, account: session?.account.id, isOnPublicDevice: isOnPublicDevice)
    var hints = session == nil ? UpstreamHints() : .reauthentication
    // Without `select_account`, the provider could return the user who is signed in there, without asking.
    if target == .anotherAccount { hints.prompt.insert(.selectAccount) }
    switch try await self.requests.signInForms.beginUpstreamSignIn(upstream, for: purpose, hints, request, context) {
    case .response(let response): return response
    case .failed(let failure):
      let session = try await self.requests.session(of: request)
      return try await self.requests.signInPage(for: target, session, failure: failure, request)
    }
  }

  /// Accepts the form with a passkey, for the same users as ``signIn(_:_:)``.
  @Sendable func signInWithPasskey(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let target = self.requests.target(of: request)
      let session = try await self.requests.session(of: request)
      let isConfirmation = session != nil && self.requests.isValid(form, .confirmation, session)
      guard isConfirmation || self.requests.isValid(form, .signIn, nil)
      else { return try await self.requests.signInPage(for: target, session, failure: .expired, request) }
      let outcome = try await self.requests.signInForms.signInWithPasskey(
        form, request, context, interaction: AccountPath.page.rawValue, for: isConfirmation ? session?.account.id : nil)
      // The outcome is never a form for a code, so the binding is not used.
      return try await self.response(
        to: outcome, target, self.requests.binding(confirming: nil), isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the code that a sign-in requires as its second step. The sealed state of the form belongs either to a
  /// sign-in, or to the confirmation of a change in this session.
  @Sendable func enterCode(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let target = self.requests.target(of: request)
      let session = try await self.requests.session(of: request)
      let bindings = [session, nil].map { self.requests.binding(confirming: $0) }
      guard let binding = bindings.first(where: { self.requests.signInForms.isValidCodeForm(form, interaction: $0) })
      else { return try await self.requests.signInPage(for: target, session, failure: .expired, request) }
      let outcome = try await self.requests.signInForms.enterCode(form, request, context, interaction: binding)
      return try await self.response(to: outcome, target, binding, isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Accepts the form on which the user chooses a new password, because the current one no longer meets the policy.
  @Sendable func changePassword(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let target = self.requests.target(of: request)
      guard
        self.requests.server.csrfTokens.isValid(
          form["csrf"], purpose: "change password", session: nil, interaction: AccountPath.page.rawValue)
      else {
        let session = try await self.requests.session(of: request)
        return try await self.requests.signInPage(for: target, session, failure: .expired, request)
      }
      let outcome = try await self.requests.signInForms.changePassword(form, request, context)
      // The outcome is never a form for a code, so the binding is not used.
      return try await self.response(
        to: outcome, target, self.requests.binding(confirming: nil), isOnPublicDevice: form.isOnPublicDevice, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Returns the response to a step of the sign-in.
  /// - Parameters:
  ///   - binding: The text to which the sealed (encrypted) state of a form for a code is bound
  ///     (``AccountRequests/binding(confirming:)``). Not used for other outcomes.
  ///   - username: The user name of a failed attempt.
  func response(
    to outcome: SignInForms.Outcome, _ target: AccountTarget, _ binding: String, username: String? = nil,
    isOnPublicDevice: Bool, _ request: Request
  ) async throws -> Response {
    let render = self.requests.render.localized(for: request)
    switch outcome {
    case .failed(let failure):
      return try await self.requests.signInPage(
        for: target, try await self.requests.session(of: request), username: username, failure: failure,
        isOnPublicDevice: isOnPublicDevice, request)
    case .code(let entry):
      let action = self.requests.render.issuer.path + self.requests.signInAddress(.code, target)
      let startOver = self.requests.render.issuer.path + self.requests.signInAddress(.signIn, target)
      let page = self.requests.signInForms.page(for: entry, action: action, interaction: binding, startOver: startOver)
      return render.secondFactor(page, policy: .standalone)
    case .passwordChange(let change):
      let action = self.requests.render.issuer.path + self.requests.signInAddress(.requiredPassword, target)
      return render.changePassword(
        self.requests.signInForms.page(for: change, action: action, interaction: AccountPath.page.rawValue), policy: .standalone)
    case .signedIn(_, let credentials):
      let address = self.requests.signInAddress(.signIn, target) + "&\(Self.signedIn)=true"
      var response = Response.redirect(seeOther: self.requests.render.issuer.url(appending: address))
      self.requests.signInForms.set(credentials, on: &response)
      return response
    }
  }
}
