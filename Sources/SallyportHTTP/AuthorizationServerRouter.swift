public import Hummingbird
import SallyportProtocol
public import SallyportServer

/// All routes of an authorization server. Whoever looks for an address begins here.
public struct AuthorizationServerRouter<S: Store>: Sendable {
  let server: AuthorizationServer<S>
  let pages: Pages
  let proxies: TrustedProxies

  /// - Parameter proxies: those in front of the server, which say where a request comes from.
  /// - Throws: where a page template is broken.
  public init(server: AuthorizationServer<S>, proxies: TrustedProxies = .none) throws {
    self.server = server
    self.proxies = proxies
    self.pages = try Pages(serverName: server.configuration.name, basePath: server.configuration.issuer.path)
  }

  /// The router, to be served under the issuer's origin.
  public func build() -> Router<ServerRequestContext> {
    let issuer = self.server.configuration.issuer
    let router = Router(context: ServerRequestContext.self, options: .autoGenerateHeadEndpoints)
    let render = Renderer(pages: self.pages, issuer: issuer)
    let cookie = SessionCookie(issuer: issuer, lifetime: self.server.configuration.lifetimes.browserSession)
    if !self.proxies.isEmpty { router.add(middleware: ForwardedAddress(proxies: self.proxies)) }
    // The headers come first, so that they stand on error pages too.
    router.add(middleware: SecurityHeaders(issuer: issuer))
    router.add(middleware: ErrorPages(render: render))

    DocumentRoutes(server: self.server).add(to: router)
    let root = router.group(RouterPath(issuer.path))
    AuthorizationRoutes(server: self.server, render: render, cookie: cookie).add(to: root)
    let hint = PersonCookie(issuer: issuer)
    let attempt = SignInAttempt(server: self.server, cookie: cookie, hint: hint)
    InteractionRoutes(server: self.server, render: render, cookie: cookie, attempt: attempt).add(to: root)
    DeviceRoutes(server: self.server, render: render, cookie: cookie, attempt: attempt).add(to: root)
    SignOutRoutes(server: self.server, render: render, cookie: cookie, hint: hint).add(to: root)
    TokenRoutes(server: self.server).add(to: root)
    UserinfoRoutes(server: self.server).add(to: root)
    RegistrationRoutes(server: self.server).add(to: root)
    AssociationRoutes(server: self.server).add(to: router)
    router.refuseOtherMethods(render)
    return router
  }
}
