/// The registration of the app at a provider.
package struct RegisteredClient: Sendable {
  package var id: String
  package var secret: Secret
  /// The registered redirect URIs.
  package var redirectURIs: [String]
  package var redirectMatching = RedirectMatching.anyPort
  /// How the client authenticates in the device flow, or `nil` if it authenticates as in the browser flow.
  package var deviceSecret: Secret?

  /// Whether token requests must contain a client secret, and which one.
  package enum Secret: Sendable {
    /// The client has no secret, and must not send one.
    case mustBeAbsent
    /// A request may contain any secret or none.
    case ignored
    /// A secret, and the ways in which the provider accepts it.
    case required(String, [Placement])
    /// The secret is a signed JWT, which the closure checks.
    case signedSecret(@Sendable (String) -> Bool)
  }

  /// Where a request contains the secret (RFC 6749 §2.3.1).
  package enum Placement: Sendable {
    /// The `Authorization` header: `client_secret_basic`.
    case header
    /// The form: `client_secret_post`.
    case form
  }

  /// How the redirect URI of a request is compared with the registered URIs.
  package enum RedirectMatching: Sendable {
    /// Every `http` URI on `127.0.0.1` or `localhost` with a port is accepted, with any path and without registration.
    /// All other URIs are rejected.
    case anyLoopbackURI
    /// The port of a loopback redirect may differ from the registered one (RFC 8252 §7.3).
    case anyPort
    /// Redirect URIs are compared as strings.
    case exact
  }

  package init(id: String, secret: Secret = .mustBeAbsent, redirectURI: String, redirectMatching: RedirectMatching = .anyPort) {
    self.id = id
    self.secret = secret
    self.redirectURIs = [redirectURI]
    self.redirectMatching = redirectMatching
  }

  /// Whether the provider accepts a URI as the `redirect_uri` of a request.
  package func accepts(redirectURI: String) -> Bool {
    switch self.redirectMatching {
    case .exact: self.redirectURIs.contains(redirectURI)
    case .anyLoopbackURI: Self.isLoopback(redirectURI)
    case .anyPort: self.redirectURIs.contains { Self.withoutPort($0) == Self.withoutPort(redirectURI) }
    }
  }

  private static func isLoopback(_ uri: String) -> Bool {
    ["http://127.0.0.1:", "http://localhost:"].contains { uri.hasPrefix($0) }
  }

  /// Removes the port from a loopback redirect URI.
  private static func withoutPort(_ uri: String) -> String {
    for host in ["http://127.0.0.1", "http://localhost"] where uri.hasPrefix(host + ":") {
      return host + uri.dropFirst(host.count + 1).drop { $0.isNumber }
    }
    return uri
  }
}
