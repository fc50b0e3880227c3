public import Sallyport
public import SallyportProtocol
import Synchronization

/// Receives the redirect on a loopback port of this machine (RFC 8252 §7.3).
///
/// Binds `127.0.0.1` and `[::1]`, whichever is there, on a free port, and offers the URI that names the issuer
/// (`RedirectURI.loopback(for:host:port:)`), with the literal and the port that are really bound. The port is open from before the browser starts until the answer is in, the sign-in ends or it is cancelled (§8.3).
///
/// Only a GET of exactly that URI whose state the sign-in knows is the answer. Everything else (a favicon, a preflight, another
/// path or Host, garbage, a silent connection) is turned away and the wait goes on. On Linux the answer has to come from a
/// process of the same user (rule C-35), as the kernel's socket table tells it; where the system cannot tell, on macOS or
/// without `/proc`, every local process is believed.
public struct LoopbackReceiver: RedirectReceiver {
  private let redirectURI: RedirectURI?
  private let limits: ReceiverLimits

  /// - Parameter redirectURI: the loopback URI that is registered for this client, where it is not the default one. Without a
  ///   port in it a free one is taken; a port serves servers that do not keep §7.3. A `localhost` URI, which §8.3 does not
  ///   recommend, is used only where it is given here.
  public init(redirectURI: RedirectURI? = nil) {
    self.init(redirectURI: redirectURI, limits: ReceiverLimits())
  }

  package init(redirectURI: RedirectURI?, limits: ReceiverLimits) {
    self.redirectURI = redirectURI
    self.limits = limits
  }

  public func withRedirect<R: Sendable>(
    for issuer: Issuer, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await self.withRedirect(on: self.bind(for: issuer), body)
  }

  /// Binds the port of an earlier run again, if it is free.
  public func withRedirect<R: Sendable>(
    again redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try await self.withRedirect(on: Self.bind(redirectURI), body)
  }

  private func withRedirect<R: Sendable>(
    on bound: (LoopbackBinding, RedirectURI), _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    let (binding, bound) = bound
    let reception = try Reception(binding, target: RedirectTarget(bound), limits: self.limits)
    let redirect = BoundRedirect(redirectURI: bound) { try await reception.response(accepts: $0) }
    let result: Result<R, any Error>
    do {
      result = .success(try await body(redirect))
    } catch {
      result = .failure(error)
    }
    await reception.end()
    return try result.get()
  }

  /// Binds and tells the redirect URI with the port that is open.
  private func bind(for issuer: Issuer) throws(RedirectReceiverError) -> (LoopbackBinding, RedirectURI) {
    guard let wanted = self.redirectURI else {
      let binding = try LoopbackBinding.bind(SocketAddress.Family.allCases, port: nil)
      let host = binding.families.first == .ipv6 ? LoopbackHost.ipv6 : .ipv4
      return (
        binding,
        try Self.redirectURI { () throws(RedirectURIError) in try .loopback(for: issuer, host: host, port: binding.port) }
      )
    }
    return try Self.bind(wanted)
  }

  /// Binds the port that the URI names, or any where it names none.
  private static func bind(_ wanted: RedirectURI) throws(RedirectReceiverError) -> (LoopbackBinding, RedirectURI) {
    guard case .loopback(let host) = wanted.kind else {
      throw .cannotBind(reason: "the redirect URI is not on a loopback address")
    }
    let parts = wanted.components
    let binding = try LoopbackBinding.bind(Self.families(host), port: parts.port)
    let query = parts.query.map { "?\($0)" } ?? ""
    let text = "http://\(host.rawValue):\(binding.port)\(parts.path)\(query)"
    return (binding, try Self.redirectURI { () throws(RedirectURIError) in try RedirectURI(text) })
  }

  private static func families(_ host: LoopbackHost) -> [SocketAddress.Family] {
    switch host {
    case .ipv4: [.ipv4]
    case .ipv6: [.ipv6]
    case .localhost: SocketAddress.Family.allCases
    }
  }

  private static func redirectURI(
    _ make: () throws(RedirectURIError) -> RedirectURI
  ) throws(RedirectReceiverError) -> RedirectURI {
    do {
      return try make()
    } catch {
      throw .cannotBind(reason: "no redirect URI can be made for this issuer")
    }
  }
}
