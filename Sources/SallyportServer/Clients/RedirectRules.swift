import SallyportProtocol

/// What an operator allows for redirect URIs beyond RFC 8252 §7 and §8.4.
package struct RedirectRules: Sendable {
  /// Whether a registered `http://localhost` URI of an operator's client matches any port.
  let anyLocalhostPort: Bool
  /// The allowed private-use schemes without a period.
  let schemes: UndottedSchemes

  package init(anyLocalhostPort: Bool = false, schemes: some Sequence<String> = []) {
    self.anyLocalhostPort = anyLocalhostPort
    self.schemes = UndottedSchemes(schemes)
  }

  init(_ configuration: ServerConfiguration) {
    self.init(anyLocalhostPort: configuration.allowsAnyLocalhostPort, schemes: configuration.registration.schemes)
  }

  /// Whether a registered URI is still allowed. An operator may have removed its scheme from the list since the
  /// registration.
  func allows(_ registered: RedirectURI) -> Bool {
    !registered.hasUndottedScheme || self.schemes.contains(registered.scheme)
  }

  /// Whether a registered URI of the client allows the requested one (RFC 8252 §7.3, §8.3).
  ///
  /// Many MCP clients register `http://localhost/callback` and listen on any port. For dynamic clients and clients with
  /// a metadata document, a registered `localhost` URI without a port matches any port, because the user is asked for
  /// consent each time anyway.
  func matches(_ registered: RedirectURI, _ requested: RedirectURI, of client: ClientRecord) -> Bool {
    let anyLocalhostPort = client.origin == .operator ? self.anyLocalhostPort : registered.port == nil
    return self.allows(registered) && registered.matches(requested: requested, anyLocalhostPort: anyLocalhostPort)
  }
}
