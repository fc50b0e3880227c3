import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// Blocks sign-ins in embedded web views, or warns the users, as the operator chose (``WebViewPolicy``).
///
/// This type is a middleware for the pages on which users sign in. It also provides the page that says how to continue
/// in the browser.
struct WebViewRoutes: RouterMiddleware {
  let server: AuthorizationServer
  let render: Renderer

  /// The page to which the warning links.
  private static var path: String { "/browser" }

  /// Where a browser continues what the user began in a web view.
  private struct Continuation {
    /// The path relative to the issuer, without the query.
    let path: String
    /// The query with its question mark, or empty.
    var query = ""
    /// The client for which the user signs in; nil if there is none, or if it is not known yet.
    var client: ClientRecord?
    /// The `ui_locales` of the interaction; nil if there are none.
    var uiLocales: String?
  }

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.get(RouterPath(Self.path), use: self.page)
  }

  /// Says how to continue in the browser.
  @Sendable func page(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    do {
      return self.page(try await self.continuation(of: request), request, status: .ok)
    } catch {
      return await self.render.errorResponse(error, request, context)
    }
  }

  func handle(
    _ request: Request, context: ServerRequestContext,
    next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    // If the URL's interaction cannot be opened, the route behind this middleware shows the error.
    guard EmbeddedWebView.isNamed(by: request.headers[.userAgent]), let continuation = try? await self.continuation(of: request)
    else { return try await next(request, context) }
    switch continuation.client?.details.webViews ?? self.server.configuration.webViews {
    case .off: return try await next(request, context)
    case .warn:
      let warning = WebViewWarning(path: self.render.issuer.path + Self.path + continuation.query)
      return try await WebViewWarning.$current.withValue(warning) { try await next(request, context) }
    case .block:
      context.logger.notice(
        "embedded web view blocked", metadata: ["client": "\(continuation.client?.id.rawValue ?? "-")"])
      return self.page(continuation, request, status: .forbidden)
    }
  }

  /// Returns where the browser continues. The URL of the request shows whether the user is signing in to an app,
  /// approving a device, opening a one-time link, or asking for a new password or an account. Otherwise, the browser
  /// opens the account page.
  private func continuation(of request: Request) async throws -> Continuation {
    let query = try FormParameters(parsing: request.uri.query ?? "")
    if self.belongsToInteraction(request.uri.path), let sealed = query[InteractionPath.parameter] {
      let interaction = try await self.server.interactions.open(sealed)
      return Continuation(
        path: InteractionPath.page.rawValue, query: "?\(InteractionPath.parameter)=\(sealed)",
        client: interaction.redirect.client,
        uiLocales: interaction.parameters.uiLocales)
    }
    if let sealed = query[DeviceRoutes.parameter] {
      // Throws if the value is invalid or has expired.
      _ = try self.server.deviceInteractions.open(sealed)
      return Continuation(path: DeviceRoutes.Path.confirm.path, query: "?\(DeviceRoutes.parameter)=\(sealed)")
    }
    if let token = query[AccountLinks.parameter], let link = OpaqueToken(.accountLink, token) {
      return Continuation(
        path: AccountPath.link.rawValue, query: "?\(AccountLinks.parameter)=\(link.text.reveal())")
    }
    if let token = query[AccountLinks.parameter], let link = OpaqueToken(.signUp, token) {
      return Continuation(path: AccountPath.signUpLink.rawValue, query: "?\(AccountLinks.parameter)=\(link.text.reveal())")
    }
    let paths = [EndpointPath.device, AccountPath.forgotPassword.rawValue, AccountPath.signUp.rawValue]
    let path = paths.first { request.uri.path == self.render.issuer.path + $0 }
    return Continuation(path: path ?? AccountPath.page.rawValue)
  }

  /// Whether the page at this path belongs to the interaction in its address. The account page does not: otherwise,
  /// anyone could add the interaction of some client to its address, and the policy of that client would apply.
  private func belongsToInteraction(_ path: String) -> Bool {
    [
      InteractionPath.page.rawValue, Self.path, AccountPath.forgotPassword.rawValue, AccountPath.signUp.rawValue,
    ].contains {
      path == self.render.issuer.path + $0 || path.hasPrefix("\(self.render.issuer.path)\($0)/")
    }
  }

  private func page(_ continuation: Continuation, _ request: Request, status: HTTPResponse.Status) -> Response {
    let page = WebViewPage(
      appName: continuation.client?.name,
      address: self.render.issuer.url(appending: continuation.path) + continuation.query,
      isAndroid: EmbeddedWebView.isOnAndroid(request.headers[.userAgent]))
    let render = self.render.localized(for: request, uiLocales: continuation.uiLocales)
    return render.page(render.pages.webView(page), status: status, policy: .final)
  }
}
