import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The page on which users who have forgotten their passwords ask for a link.
struct ForgotPasswordRoutes: Sendable {
  let requests: AccountRequests
  let resets: ResetRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(AccountPath.forgotPassword.rawValue)) { request, _ in await self.response(.form, request) }
    router.post(RouterPath(AccountPath.forgotPassword.rawValue), use: self.request)
  }

  @Sendable func request(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      guard self.requests.isValid(form, .forgotPassword, nil),
        let text = form["username"], !text.isEmpty
      else { return await self.response(.form, request) }
      let uiLocales = await self.requests.signInForms.continuation.uiLocales(of: request)
      let origin = context.origin(of: request, uiLocales: uiLocales)
      switch try await self.resets.request(text, from: context.address, origin: origin) {
      case .accepted:
        var response = await self.response(.sent, request)
        await self.requests.signInForms.continuation.keep(request, on: &response)
        return response
      case .throttled: return await self.response(.throttled, request)
      }
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  private func response(_ state: ForgotPasswordPage.State, _ request: Request) async -> Response {
    let continuation = self.requests.signInForms.continuation
    let sealedInteraction = await continuation.sealed(in: request)
    let page = ForgotPasswordPage(
      state, action: continuation.address(of: AccountPath.forgotPassword.rawValue, for: sealedInteraction),
      csrfToken: self.requests.csrfToken(.forgotPassword, nil))
    let render = await self.requests.localizedRender(for: request)
    // If the user comes from an app's request, the app may have opened the page in a pop-up window. The policy
    // `.interaction` then keeps the connection between the pop-up and the app's window.
    return render.page(
      render.pages.forgotPassword(page), status: state == .throttled ? .tooManyRequests : .ok,
      policy: sealedInteraction == nil ? .standalone : .interaction,
      retryAfter: state == .throttled ? Int(ResetRequests.window.components.seconds) : nil)
  }
}
