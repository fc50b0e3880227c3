import HTTPTestSupport
import Hummingbird
import HummingbirdTesting
import Logging
import ServerTestSupport
import Testing

@testable import SallyportHTTP
@testable import SallyportHTTPServer

extension Site {
  /// Runs the site on a socket as the daemon does. The time limits are far longer than a test, so they apply only when
  /// a test calls ``Connections/sweep(at:)`` with a later time.
  /// - Parameters:
  ///   - maximum: The number of connections that are served at a time.
  ///   - perAddress: The number of connections from one address that are served at a time; nil for the default share of
  ///     `maximum`.
  ///   - bodyRate: The minimum rate of a request's body, in bytes per second; 0 for no minimum.
  func serving(
    maximum: Int = 100, perAddress: Int? = nil, bodyRate: Int = 0, proxies: [AddressRange] = [],
    _ body: @escaping @Sendable (_ port: Int, Connections) async throws -> Void
  ) async throws {
    var limits = ConnectionLimits()
    limits.maximum = maximum
    limits.perAddress = perAddress
    limits.idle = .seconds(4 * 3_600)
    limits.request = .seconds(2 * 3_600)
    limits.shortIdle = .seconds(3_600)
    limits.bodyRate = bodyRate
    limits.bodyGrace = .seconds(100)
    let connections = Connections(limits: limits, proxies: TrustedProxies(proxies))
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let application = Application(
      router: AuthorizationServerRouter(server: self.fixture.server).build(), server: .onEventLoops(connections),
      logger: logger)
    try await application.test(.ahc(.http)) { client in try await body(try #require(client.port), connections) }
  }
}
