public import Sallyport
public import SallyportProtocol
import Synchronization

/// Receives the redirect on a loopback port of this machine (RFC 8252 §7.3).
///
/// By default, the receiver binds one free port, on both `127.0.0.1` and `[::1]` if the machine has both addresses. If
/// the server's `loopbackHost` is one of these addresses, the receiver binds only this address. The redirect URI
/// contains `loopbackHost` (or, if it is `nil`, the first bound address), the port, and the issuer; see
/// `RedirectURI.loopback(for:host:port:)`. The port is open from before the browser starts until the response arrives
/// or the sign-in ends (§8.3).
///
/// Only a GET request for exactly the redirect URI with the sign-in's state is accepted. Everything else (a favicon
/// request, a preflight, another path or Host, malformed data, a silent connection) is rejected, and the wait
/// continues. On Linux and Windows, the request must come from a process of the same user (rule C-35), according to the
/// system's table of TCP connections. Where the table doesn't provide this information (for example on macOS, without
/// `/proc`, or on WSL if a Windows program connects), every local process is accepted.
public struct LoopbackReceiver: RedirectReceiver {
  private let redirectURI: RedirectURI?
  private let limits: ReceiverLimits

  /// Creates a receiver.
  /// - Parameter redirectURI: The loopback URI that is registered for this client. The default is
  ///   `RedirectURI.loopback(for:)` of the issuer, for example `http://127.0.0.1/oauth2redirect/id.example.com`. If the
  ///   URI has no port, a free port is used. Specify a port for servers that don't support RFC 8252 §7.3. A `localhost`
  ///   URI, which §8.3 doesn't recommend, is used only if you specify it here, or if the server's `loopbackHost` is
  ///   `localhost`.
  public init(redirectURI: RedirectURI? = nil) {
    self.init(redirectURI: redirectURI, limits: ReceiverLimits())
  }

  package init(redirectURI: RedirectURI?, limits: ReceiverLimits) {
    self.redirectURI = redirectURI
    self.limits = limits
  }

  public func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await self.withRedirect(on: self.bind(for: server), body)
  }

  /// Binds the port of `redirectURI`, which an earlier run of the app used.
  /// - Throws: The error that `body` throws, or ``RedirectReceiverError``, for example
  ///   ``RedirectReceiverError/cannotBind(reason:)`` if the port is not free.
  public func withRedirect<R: Sendable>(
    at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await self.withRedirect(on: Self.bind(redirectURI), body)
  }

  private func withRedirect<R: Sendable>(
    on bound: (LoopbackBinding, RedirectURI), _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    let (binding, redirectURI) = bound
    let reception = try Reception(binding, target: RedirectTarget(redirectURI), limits: self.limits)
    let redirect = BoundRedirect(redirectURI: redirectURI) { try await reception.response(accepts: $0) }
    // `defer` cannot wait for `end()`.
    let result: Result<R, any Error>
    do {
      result = .success(try await body(redirect))
    } catch {
      result = .failure(error)
    }
    await reception.end()
    return try result.get()
  }

  /// Binds a port and returns the redirect URI that contains it.
  private func bind(for server: ServerConfiguration) throws(RedirectReceiverError) -> (LoopbackBinding, RedirectURI) {
    guard let registered = self.redirectURI else {
      let families = server.loopbackHost.map(Self.families) ?? SocketAddress.Family.allCases
      let binding = try LoopbackBinding.bind(families, port: nil)
      let host = server.loopbackHost ?? (binding.families.first == .ipv6 ? .ipv6 : .ipv4)
      let redirectURI = try Self.redirectURI(orReason: "the issuer cannot be part of a redirect URI") {
        () throws(RedirectURIError) in
        try .loopback(for: server.issuer, host: host, port: binding.port)
      }
      return (binding, redirectURI)
    }
    return try Self.bind(registered)
  }

  /// Binds the port of the URI, or any free port if it has none.
  private static func bind(_ registered: RedirectURI) throws(RedirectReceiverError) -> (LoopbackBinding, RedirectURI) {
    guard case .loopback(let host) = registered.kind else {
      throw .cannotBind(reason: "the redirect URI is not on a loopback address")
    }
    let parts = registered.components
    let binding = try LoopbackBinding.bind(Self.families(host), port: parts.port)
    let query = parts.query.map { "?\($0)" } ?? ""
    let text = "http://\(host.rawValue):\(binding.port)\(parts.path)\(query)"
    let redirectURI = try Self.redirectURI(orReason: "the redirect URI is not valid with a port") {
      () throws(RedirectURIError) in
      try RedirectURI(text)
    }
    return (binding, redirectURI)
  }

  private static func families(_ host: LoopbackHost) -> [SocketAddress.Family] {
    switch host {
    case .ipv4: [.ipv4]
    case .ipv6: [.ipv6]
    case .localhost: SocketAddress.Family.allCases
    }
  }

  /// Returns the redirect URI that `make` creates, or throws an error with the given reason.
  private static func redirectURI(
    orReason reason: String, _ make: () throws(RedirectURIError) -> RedirectURI
  ) throws(RedirectReceiverError) -> RedirectURI {
    do {
      return try make()
    } catch {
      throw .cannotBind(reason: reason)
    }
  }
}
