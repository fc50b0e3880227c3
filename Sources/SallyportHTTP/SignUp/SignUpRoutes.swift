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
    self.response(.form, sealed: await self.interaction(of: request))
  }

  @Sendable func request(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let form = try FormParameters(parsing: try await request.formText())
      let (email, sealed) = (form["email"] ?? "", await self.interaction(of: request))
      guard request.isSameOrigin(as: self.requests.render.issuer), self.requests.isValid(form, .signUp, nil) else {
        return self.response(.failed(.expired), email: email, sealed: sealed)
      }
      let outcome = try await self.signUps.request(email, from: context.address, origin: context.origin(of: request))
      context.logger.info("sign-up requested", metadata: ["outcome": "\(outcome)"])
      switch outcome {
      case .accepted: return self.response(.sent, sealed: sealed)
      case .invalid: return self.response(.failed(.invalid), email: email, sealed: sealed)
      case .throttled: return self.response(.failed(.throttled), email: email, sealed: sealed)
      case .overloaded: return self.response(.failed(.overloaded), email: email, sealed: sealed)
      }
    } catch {
      return self.requests.render.errorResponse(error, context)
    }
  }

  /// Returns the encrypted interaction from the request's URL; nil if the visitor does not come from an app, or the app's
  /// request has expired.
  private func interaction(of request: Request) async -> String? {
    guard let sealed = (try? FormParameters(parsing: request.uri.query ?? ""))?[InteractionPath.parameter],
      (try? await self.requests.server.interactions.open(sealed)) != nil
    else { return nil }
    return sealed
  }

  private func response(_ state: SignUpPage.State, email: String = "", sealed: String?) -> Response {
    let path = self.requests.path(.signUp)
    let page = SignUpPage(
      state, email: email, action: sealed.map { "\(path)?\(InteractionPath.parameter)=\($0)" } ?? path,
      csrfToken: self.requests.csrfToken(.signUp, nil),
      signInAction: sealed.map { InteractionPath.switchAccount.relativeURL($0, self.requests.render.issuer) }
        ?? self.requests.path(.page))
    var response = self.requests.render.page(
      self.requests.render.pages.signUp(page), status: state.status, policy: sealed == nil ? .standalone : .interaction)
    if state.status == .tooManyRequests { response.headers[.retryAfter] = "3600" }
    return response
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
