import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The page on which visitors ask for an account.
///
/// It asks only for an email address, and its response does not depend on whether the address has an account.
struct SignUpRoutes: Sendable {
  let requests: AccountRequests
  let signUps: SignUps

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.signUp.rawValue), use: self.page)
    router.post(RouterPath(AccountPath.signUp.rawValue), use: self.request)
  }

  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    await self.response(.form, request)
  }

  @Sendable func request(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let email = form["email"] ?? ""
      // The CSRF token belongs to no session, because the visitor is not signed in.
      guard self.requests.isValid(form, .signUp, nil) else {
        return await self.response(.failed(.expired), email: email, request)
      }
      let uiLocales = await self.requests.signInForms.continuation.uiLocales(of: request)
      let outcome = try await self.signUps.request(
        email, from: context.address, origin: context.origin(of: request, uiLocales: uiLocales))
      context.logger.info("sign-up requested", metadata: ["outcome": "\(outcome)"])
      switch outcome {
      case .accepted:
        var response = await self.response(.sent, email: email, request)
        // Once the visitor has opened the mailed link and created the account, the app's request continues.
        await self.requests.signInForms.continuation.keep(request, on: &response)
        return response
      case .invalid: return await self.response(.failed(.invalid), email: email, request)
      case .throttled: return await self.response(.failed(.throttled), email: email, request)
      case .overloaded: return await self.response(.failed(.overloaded), email: email, request)
      }
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  private func response(_ state: SignUpPage.State, email: String = "", _ request: Request) async -> Response {
    let continuation = self.requests.signInForms.continuation
    // The app's request (interaction) from which the visitor came, encrypted; nil without an app.
    let sealed = await continuation.sealed(in: request)
    let page = SignUpPage(
      state, email: email, action: continuation.address(of: AccountPath.signUp.rawValue, for: sealed),
      csrfToken: self.requests.csrfToken(.signUp, nil),
      signInAction: continuation.address(
        of: sealed == nil ? AccountPath.page.rawValue : InteractionPath.switchAccount.rawValue, for: sealed))
    let render = await self.requests.localizedRender(for: request)
    // If the visitor comes from an app's request, the app may have opened the page in a pop-up window. The policy
    // `.interaction` then keeps the connection between the pop-up and the app's window.
    //
    // `Retry-After` is an hour, because the limits that reject requests are per hour.
    return render.page(
      render.pages.signUp(page), status: state.status, policy: sealed == nil ? .standalone : .interaction,
      retryAfter: state.status == .tooManyRequests ? 3_600 : nil)
  }
}

extension SignUpPage.State {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .form, .sent: .ok
    case .failed(.invalid), .failed(.expired): .badRequest
    case .failed(.throttled), .failed(.overloaded): .tooManyRequests
    }
  }
}
