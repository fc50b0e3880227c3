public import Hummingbird
public import SallyportHTTPServer
public import SallyportObservability
import SallyportProtocol
public import SallyportServer

/// All routes of an authorization server.
public struct AuthorizationServerRouter: Sendable {
  let server: AuthorizationServer
  let pages: Pages
  let proxies: TrustedProxies
  let metrics: ServerMetrics
  let tracing: ServerTracing
  /// Delays responses to addresses whose requests keep failing; nil to delay none.
  var pacing: FailurePacing?

  /// - Parameters:
  ///   - proxies: The trusted proxies in front of the server, which report the addresses of clients.
  ///   - metrics: The server's metrics. By default, they use the process-wide metrics factory.
  ///   - tracing: Receives a span for each request.
  ///   - failuresPerSecond: The number of 429 responses and error pages per second that an address receives without
  ///     delay; 0 to delay none. Responses through a trusted proxy are never delayed.
  ///   - branding: The logo, the colors, the links, and the templates of the pages.
  public init(
    server: AuthorizationServer, proxies: TrustedProxies = .none, metrics: ServerMetrics = ServerMetrics(),
    tracing: ServerTracing = .bootstrapped(), failuresPerSecond: Int = 20, branding: Branding = Branding()
  ) {
    self.server = server
    self.proxies = proxies
    self.metrics = metrics
    self.tracing = tracing
    self.pacing = failuresPerSecond > 0 ? FailurePacing(perSecond: failuresPerSecond, proxies: proxies) : nil
    self.pages = Pages(
      serverName: server.configuration.name, basePath: server.configuration.issuer.path, language: server.configuration.language,
      branding: branding)
  }

  /// Returns the router. Serve it under the issuer's origin.
  public func build() -> Router<ServerRequestContext> {
    let issuer = self.server.configuration.issuer
    let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
    let cookies = ServerCookies(issuer: issuer, lifetimes: self.server.configuration.lifetimes)
    // The closure finds the account of the signed-in user, whose language applies to error pages.
    let render = Renderer(
      pages: self.pages, issuer: issuer, metrics: self.metrics,
      languages: RequestLanguage(defaultLanguage: self.server.configuration.language)
    ) { [sessions = self.server.sessions] in try await sessions.active(cookies.session.value(in: $0))?.account }
    let routes = RouteTable(self.metrics.factory)
    let requestMetrics = self.metrics.isOff ? nil : RequestMetrics(metrics: self.metrics, routes: routes)
    // The middleware for spans is added before `ResponseMiddleware`, so that it sees the error responses that
    // `ResponseMiddleware` renders.
    if self.tracing.tracer != nil { router.add(middleware: RequestSpans(tracing: self.tracing)) }
    if !self.proxies.isEmpty { router.add(middleware: ForwardedAddress(proxies: self.proxies)) }
    router.add(
      middleware: ResponseMiddleware(
        render: render, headers: SecurityHeaders(issuer: issuer), metrics: requestMetrics, pacing: self.pacing))

    // The router compares the path of a request with the routes in this order, so the most frequently requested routes
    // come first.
    let root = router.group(RouterPath(issuer.path))
    TokenRoutes(server: self.server, metrics: self.metrics).add(to: root)
    AuthorizationRoutes(server: self.server, render: render, cookies: cookies).add(to: root)
    UserinfoRoutes(server: self.server, metrics: self.metrics).add(to: root)
    DocumentRoutes(server: self.server, assets: self.pages.assets).add(to: router)
    let signInForms = SignInForms(server: self.server, cookies: cookies, metrics: self.metrics)
    let webViews = WebViewRoutes(server: self.server, render: render)
    webViews.add(to: root)
    // The pages with forms. A form is accepted only from the server's own pages.
    let forms = root.group().add(middleware: SameOriginForms(render: render))
    // The pages on which users sign in, which `webViews` can block in embedded web views.
    let pages = forms.group().add(middleware: webViews)
    let interactions = InteractionRoutes(server: self.server, render: render, cookies: cookies, signInForms: signInForms)
    interactions.add(to: pages)
    let devices = DeviceRoutes(server: self.server, render: render, cookies: cookies, signInForms: signInForms)
    devices.add(to: pages)
    let account = AccountRequests(server: self.server, render: render, cookies: cookies, signInForms: signInForms)
    AccountRoutes(requests: account).add(to: pages)
    AccountSignInRoutes(requests: account).add(to: pages)
    AccountChooserRoutes(requests: account).add(to: pages)
    AccountProviderRoutes(requests: account).add(to: forms)
    if let upstreams = self.server.upstreamSignIn {
      UpstreamRoutes(
        signIn: upstreams, interactions: interactions, devices: devices, account: AccountSignInRoutes(requests: account)
      ).add(to: root)
    }
    if let logout = self.server.upstreamLogout { UpstreamLogoutRoutes(logout: logout).add(to: root) }
    if let passkeys = self.server.passkeys { AccountPasskeyRoutes(requests: account, passkeys: passkeys).add(to: forms) }
    AccountTwoStepRoutes(requests: account).add(to: pages)
    AccountPasswordRoutes(requests: account).add(to: pages, root: router)
    AccountLinkRoutes(requests: account).add(to: pages)
    AccountEmailRoutes(requests: account).add(to: forms)
    if let resets = self.server.resetRequests { ForgotPasswordRoutes(requests: account, resets: resets).add(to: pages) }
    if let signUps = self.server.signUps {
      if self.server.configuration.offersSignUp {
        SignUpRoutes(requests: account, signUps: signUps).add(to: pages)
      } else {
        ClosedSignUpRoutes(requests: account, paths: [.signUp]).add(to: root)
      }
      NewAccountRoutes(requests: account, signUps: signUps).add(to: pages)
    } else {
      ClosedSignUpRoutes(requests: account, paths: [.signUp, .signUpLink, .newAccount]).add(to: root)
    }
    AccountDataRoutes(requests: account).add(to: root)
    AccountDeletionRoutes(requests: account).add(to: pages)
    SignOutRoutes(server: self.server, render: render, cookies: cookies, chooser: account.chooser).add(to: root, forms: forms)
    RegistrationRoutes(server: self.server, metrics: self.metrics).add(to: root)
    AssociationRoutes(server: self.server).add(to: router)
    router.rejectOtherMethods(render)
    routes.add(router.routes.map(\.path.description))
    return router
  }
}
