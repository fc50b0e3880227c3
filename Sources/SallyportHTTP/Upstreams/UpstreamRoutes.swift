import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// The redirect URIs to which upstreams, the OpenID providers through which users sign in to this server, send their
/// responses. Each upstream has its own redirect URI (RFC 9700 §4.4.2.2).
struct UpstreamRoutes: Sendable {
  let signIn: UpstreamSignIn
  let interactions: InteractionRoutes
  let devices: DeviceRoutes
  let account: AccountSignInRoutes

  private var requests: AccountRequests { self.account.requests }
  private var forms: SignInForms { self.requests.signInForms }

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath("\(EndpointPath.upstream)/:upstream/callback"), use: self.callback)
  }

  @Sendable func callback(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      let id = context.parameters.get("upstream") ?? ""
      // `finish` ignores `isOnPublicDevice` of the browser, and uses the value from the beginning of the sign-in.
      let outcome = try await self.signIn.finish(
        id, query: request.uri.query ?? "", browserCookie: self.requests.cookies.upstream.value(in: request),
        self.forms.browser(of: request, isOnPublicDevice: false), from: context.origin(of: request))
      switch outcome {
      case .unknownRequest:
        context.logger.notice("upstream response without a request")
        return await self.requests.render.errorPage(.unknownUpstreamRequest, request, context)
      case .connected:
        self.forms.metrics.upstreamSignIn(id, "connected")
        guard let session = try await self.requests.session(of: request) else { return self.requests.redirect(to: .page) }
        return self.requests.redirect(with: .providerConnected, session)
      case .failed(let failure, let name, let purpose, let tokenError):
        self.forms.note(failure, of: id, tokenError: tokenError, context)
        return try await self.response(to: failure, name: name, purpose, request, context)
      case .code(let challenge, let purpose):
        self.forms.metrics.upstreamSignIn(id, "code_needed")
        return try await self.response(
          to: .code(SignInForms.CodeEntry(challenge: challenge, isOnPublicDevice: purpose.isOnPublicDevice)), purpose, request)
      case .signedIn(let account, let session, let purpose):
        self.forms.metrics.upstreamSignIn(id, "completed")
        // Another site caused this request, so the browser does not send the `SameSite=Strict` cookie that marks a
        // known browser. The response therefore does not replace this cookie.
        let signedIn = self.forms.signedIn(
          account, session: session, nil, request, context)
        do { return try await self.response(to: signedIn, purpose, request) } catch {
          // For example, the interaction has expired. The user is signed in nevertheless, so the error page sets the
          // cookies.
          var response = await self.requests.render.errorResponse(error, request, context)
          if case .signedIn(_, let credentials) = signedIn { self.forms.set(credentials, on: &response) }
          return response
        }
      }
    } catch {
      return await self.requests.render.errorResponse(error, request, context)
    }
  }

  /// Returns to the account page if the user wanted to connect an identity with the account, and otherwise to the page
  /// where the user began to sign in.
  private func response(
    to failure: UpstreamFailure, name: String, _ purpose: UpstreamPurpose, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    guard purpose.page == .connection else {
      return try await self.response(to: .failed(.upstream(failure, name: name)), purpose, request)
    }
    guard let session = try await self.requests.session(of: request) else { return self.requests.redirect(to: .page) }
    switch failure {
    case .sessionEnded: return self.requests.redirectToSignIn(for: .providers)
    case .otherUser: return self.requests.redirect(with: .providerOfOtherAccount, session)
    default: return self.requests.redirect(with: .providerFailed, session)
    }
  }

  /// Continues where the user began to sign in.
  private func response(
    to outcome: SignInForms.Outcome, _ purpose: UpstreamPurpose, _ request: Request
  ) async throws -> Response {
    let isPublic = purpose.isOnPublicDevice
    switch purpose.page {
    case .interaction:
      return try await self.interactions.response(
        to: outcome, sealed: purpose.destination, isOnPublicDevice: isPublic, request)
    case .device:
      return try await self.devices.response(to: outcome, sealed: purpose.destination, isOnPublicDevice: isPublic, request)
    case .account, .connection:
      let target = AccountTarget(rawValue: purpose.destination) ?? .page
      return try await self.account.response(
        to: outcome, target, purpose.interaction, isOnPublicDevice: isPublic, request)
    }
  }
}

extension ErrorText {
  /// The `state` of an upstream's response is unknown, was used before, has expired, or belongs to another browser.
  fileprivate static let unknownUpstreamRequest = ErrorText(
    status: .badRequest, title: .errorProvider, explanation: .errorProviderExplanation, advice: .errorGoBack)
}
