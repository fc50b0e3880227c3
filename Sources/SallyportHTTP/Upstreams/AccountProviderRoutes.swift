import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// Connects the user's account with identities at upstreams (other OpenID providers), and disconnects it from them.
struct AccountProviderRoutes: Sendable {
  let requests: AccountRequests

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.post(RouterPath(AccountPath.providers.rawValue), use: self.change)
    router.get(RouterPath(AccountPath.providers.rawValue)) { _, _ in self.requests.redirect(to: .providers) }
  }

  @Sendable func change(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.requests.accept(.account, requiringRecentSignInFor: .providers, request, context) { form, session in
      switch form["action"] {
      case "connect-provider": return try await self.connect(form["upstream"] ?? "", session, request, context)
      case "disconnect-provider":
        let outcome = try await self.requests.server.selfService.disconnect(
          issuer: form["issuer"] ?? "", subject: form["subject"] ?? "", in: session, from: context.origin(of: request))
        if outcome == .notAllowed { return self.requests.redirect(with: .lastProvider, session) }
        return self.requests.response(to: outcome, .providerDisconnected, .providers, session)
      default: return self.requests.redirect(with: .unchanged, session)
      }
    }
  }

  private func connect(
    _ id: String, _ session: BrowserSessions.Active, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    let purpose = UpstreamPurpose(
      .connection, destination: AccountTarget.providers.rawValue, interaction: AccountPath.page.rawValue,
      session: Base64URL.encode(session.record.fingerprint.bytes))
    var hints = UpstreamHints()
    // The provider asks the user which identity to connect, even if the user is signed in there with only one.
    hints.prompt = .selectAccount
    switch try await self.requests.signInForms.beginUpstreamSignIn(id, for: purpose, hints, request, context) {
    case .response(let response): return response
    case .failed: return self.requests.redirect(with: .providerFailed, session)
    }
  }
}
