import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The pages on which users delete their own accounts, if the operator allows it.
struct AccountDeletionRoutes: Sendable {
  let requests: AccountRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    guard self.requests.server.configuration.allowsAccountDeletion else { return }
    router.get(RouterPath(AccountPath.deletion.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.deletion.rawValue), use: self.delete)
    router.get(RouterPath(AccountPath.deleted.rawValue), use: self.deleted)
  }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      guard let session = try await self.requests.session(of: request) else {
        return try await self.requests.signInPage(for: .deletion, nil, request)
      }
      guard try await self.requests.permits(.deletion, session) else {
        return self.requests.redirectToSignIn(for: .deletion)
      }
      return self.response(session, request)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  @Sendable func delete(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.deletion, requiringRecentSignInFor: .deletion, request, context) { form, session in
      guard let name = form["username"].flatMap({ Username($0) }), name == session.account.username else {
        return self.response(session, isNameWrong: true, request)
      }
      switch try await self.requests.server.selfService.deleteAccount(of: session, from: context.origin(of: request)) {
      case .done:
        context.logger.notice("account deleted", metadata: ["account": "\(session.account.id.rawValue)"])
        var response = Response.redirect(seeOther: self.requests.render.issuer.url(appending: AccountPath.deleted.rawValue))
        // Sessions of other accounts in this browser continue.
        let cookie = self.requests.cookies.session.value(in: request)
        self.requests.cookies.setSession(try await self.requests.server.sessions.cookieWithoutEnded(cookie), on: &response)
        self.requests.chooser.forget([session.account.username.value], request, on: &response)
        return response
      case .signInNeeded: return self.requests.redirectToSignIn(for: .deletion)
      case .nothingToDo, .notAllowed, .signedOut: return self.requests.redirect(to: .page)
      }
    }
  }

  /// Says that the account was deleted. A user who is signed in with another account sees the account page instead.
  @Sendable func deleted(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      if try await self.requests.session(of: request) != nil { return self.requests.redirect(to: .page) }
      let page = SignedOutPage(isAccountDeleted: true)
      let render = self.requests.render.localized(for: request)
      return render.page(render.pages.signedOut(page), policy: .standalone)
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  private func response(_ session: BrowserSessions.Active, isNameWrong: Bool = false, _ request: Request) -> Response {
    let page = AccountDeletionPage(
      username: session.account.username.value, isNameWrong: isNameWrong, action: self.requests.path(.deletion),
      csrfToken: self.requests.csrfToken(.deletion, session), cancelAction: self.requests.path(.page))
    let render = self.requests.render.localized(for: request, account: session.account)
    return render.page(
      render.pages.accountDeletion(page), status: isNameWrong ? .badRequest : .ok, policy: .standalone)
  }
}
