public import Hummingbird
public import SallyportHTTPServer
public import SallyportObservability
import SallyportProtocol
public import SallyportServer

/// All routes of an authorization server. Whoever looks for an address begins here.
public struct AuthorizationServerRouter: Sendable {
  let server: AuthorizationServer
  let pages: Pages
  let proxies: TrustedProxies
  let metrics: ServerMetrics
  let tracing: ServerTracing
  /// Nil if failures are not delayed.
  var pacing: FailurePacing?

  /// - Parameters:
  ///   - proxies: those in front of the server, which say where a request comes from.
  ///   - metrics: counts and times what happens; with the factory that the process has set.
  ///   - tracing: hears of a span for each request.
  ///   - failuresPerSecond: the number of 429 responses and error pages per second that an address receives without delay; 0 for any.
  public init(
    server: AuthorizationServer, proxies: TrustedProxies = .none, metrics: ServerMetrics = ServerMetrics(),
    tracing: ServerTracing = .bootstrapped(), failuresPerSecond: Int = 20
  ) {
    self.server = server
    self.proxies = proxies
    self.metrics = metrics
    self.tracing = tracing
    self.pacing = failuresPerSecond > 0 ? FailurePacing(perSecond: failuresPerSecond, proxies: proxies) : nil
    self.pages = Pages(serverName: server.configuration.name, basePath: server.configuration.issuer.path)
  }

  /// The router, to be served under the issuer's origin.
  public func build() -> Router<ServerRequestContext> {
    let issuer = self.server.configuration.issuer
    let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
    let render = Renderer(pages: self.pages, issuer: issuer, metrics: self.metrics)
    let cookie = SessionCookie(issuer: issuer, lifetime: self.server.configuration.lifetimes.browserSession)
    // Before the metrics, so that a delay does not count as time that a request took.
    if let pacing { router.add(middleware: pacing) }
    // First, so that they see what every other one answers.
    let routes = RouteTable(self.metrics.factory)
    if !self.metrics.isOff { router.add(middleware: RequestMetrics(metrics: self.metrics, routes: routes)) }
    if self.tracing.tracer != nil { router.add(middleware: RequestSpans(tracing: self.tracing)) }
    if !self.proxies.isEmpty { router.add(middleware: ForwardedAddress(proxies: self.proxies)) }
    router.add(middleware: EveryAnswer(render: render, headers: SecurityHeaders(issuer: issuer)))

    // An address is compared with the routes in their order, so those that are asked for most come first.
    let root = router.group(RouterPath(issuer.path))
    TokenRoutes(server: self.server, metrics: self.metrics).add(to: root)
    AuthorizationRoutes(server: self.server, render: render, cookie: cookie).add(to: root)
    UserinfoRoutes(server: self.server, metrics: self.metrics).add(to: root)
    DocumentRoutes(server: self.server).add(to: router)
    let hint = PersonCookie(issuer: issuer)
    let attempt = SignInAttempt(
      server: self.server, cookie: cookie, hint: hint, browser: BrowserCookie(issuer: issuer), metrics: self.metrics)
    InteractionRoutes(server: self.server, render: render, cookie: cookie, attempt: attempt).add(to: root)
    DeviceRoutes(server: self.server, render: render, cookie: cookie, attempt: attempt).add(to: root)
    SignOutRoutes(server: self.server, render: render, cookie: cookie, hint: hint).add(to: root)
    RegistrationRoutes(server: self.server, metrics: self.metrics).add(to: root)
    AssociationRoutes(server: self.server).add(to: router)
    router.refuseOtherMethods(render)
    routes.add(router.routes.map(\.path.description))
    return router
  }
}
