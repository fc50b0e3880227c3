import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The forms of the account page that verify the email address, or change it.
struct AccountEmailRoutes: Sendable {
  let requests: AccountRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    guard self.requests.server.mailDeliveries != nil else { return }
    router.post(RouterPath(AccountPath.email.rawValue), use: self.sendLink)
    router.get(RouterPath(AccountPath.email.rawValue)) { _, _ in self.requests.redirect(to: .page) }
  }

  /// Mails a link to the current address, or to the new address in the form. This requires a recent sign-in, because
  /// anyone who receives mail at the verified address can choose a new password.
  @Sendable func sendLink(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, requiringRecentSignInFor: .email, request, context) { form, session in
      let email = form["action"] == "verify-email" ? session.account.email : form["email"]
      let outcome = try await self.requests.server.accountLinks.sendEmailVerification(
        to: email ?? "", in: session, from: context.origin(of: request))
      switch outcome {
      case .sent: return self.requests.redirect(with: .emailLinkSent, session)
      case .invalid: return self.requests.redirect(with: .emailInvalid, session)
      case .throttled: return self.requests.redirect(with: .emailThrottled, session)
      case .throttledToday: return self.requests.redirect(with: .emailThrottledToday, session)
      case .unchanged: return self.requests.redirect(with: .unchanged, session)
      case .signInNeeded: return self.requests.redirectToSignIn(for: .email)
      case .signedOut: return self.requests.redirect(to: .page)
      }
    }
  }
}
