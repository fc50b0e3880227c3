import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// Adds, renames, and removes passkeys on the account page.
///
/// Each change requires a recent sign-in. Otherwise, a thief who has only a stolen cookie could add a passkey for later
/// sign-ins, or remove the user's only passkey.
struct AccountPasskeyRoutes: Sendable {
  let requests: AccountRequests
  let passkeys: PasskeyRegistration

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.post(RouterPath(AccountPath.passkeys.rawValue), use: self.addPasskey)
    router.post(RouterPath(AccountPath.passkey.rawValue), use: self.changePasskey)
    for path in [AccountPath.passkeys, .passkey] {
      router.get(RouterPath(path.rawValue)) { _, _ in self.requests.redirect(to: .passkeys) }
    }
  }

  /// Accepts what the browser returned when it created a passkey.
  ///
  /// If the last sign-in is not recent, or not strong enough, the account page has a plain button, whose form contains
  /// no passkey. The user then signs in and returns to the account page, which now has the button that creates a
  /// passkey.
  @Sendable func addPasskey(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, requiringRecentSignInFor: .passkeys, request, context) { form, session in
      guard let response = form["response"], let challenge = form["challenge"] else {
        return self.requests.redirect(to: .passkeys)
      }
      let texts = self.requests.render.localized(for: request, account: session.account).pages.texts
      let name = BrowserName(userAgent: request.headers[.userAgent]).words(texts)
      let outcome = try await self.passkeys.add(
        response: response, challenge: Secret(challenge), name: name, session: session, from: context.origin(of: request))
      switch outcome {
      case .added(let codes):
        context.logger.info("passkey added", metadata: ["account": "\(session.account.id.rawValue)"])
        return codes.map { self.requests.recoveryCodesPage($0, .passkeyAdded, session, request) }
          ?? self.requests.redirect(with: .passkeyAdded, session)
      case .invalid(let reason):
        context.logger.notice(
          "passkey rejected", metadata: ["account": "\(session.account.id.rawValue)", "reason": "\(reason)"])
        return self.requests.redirect(with: .passkeyInvalid, session)
      case .signInNeeded: return self.requests.redirectToSignIn(for: .passkeys)
      case .expired: return self.requests.redirect(with: .expired, session)
      case .duplicate: return self.requests.redirect(with: .passkeyExists, session)
      case .tooMany: return self.requests.redirect(with: .tooManyPasskeys, session)
      }
    }
  }

  @Sendable func changePasskey(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, requiringRecentSignInFor: .passkeys, request, context) { form, session in
      guard let id = form["passkey"].flatMap({ Base64URL.decode($0) }) else {
        return self.requests.redirect(with: .unchanged, session)
      }
      switch form["action"] {
      case "rename":
        let outcome = try await self.passkeys.rename(id, session: session, to: form["name"] ?? "")
        return self.requests.response(to: outcome, .passkeyRenamed, .passkeys, session)
      case "remove-passkey":
        let outcome = try await self.passkeys.remove(id, session: session, from: context.origin(of: request))
        if outcome == .done { context.logger.info("passkey removed", metadata: ["account": "\(session.account.id.rawValue)"]) }
        if outcome == .notAllowed { return self.requests.redirect(with: .lastPasskey, session) }
        return self.requests.response(to: outcome, .passkeyRemoved, .passkeys, session)
      default: return self.requests.redirect(with: .unchanged, session)
      }
    }
  }
}
