public import SallyportProtocol

extension RedirectURI {
  /// The default loopback redirect URI for an issuer. Its path contains the issuer, so that each server has its own
  /// redirect URI (RFC 8252 §8.10).
  ///
  /// The URI for `https://id.example.com` is `http://127.0.0.1/oauth2redirect/id.example.com`. If the issuer has a port
  /// or a path, they follow the host, so that issuers on the same host have different URIs:
  /// `…/oauth2redirect/id.example.com:8443/realms/a`. The URI for an issuer that uses `http`, which is only possible on
  /// the local machine, contains neither port nor path, so that a development server can use any port.
  /// - Parameters:
  ///   - host: The loopback address, or `localhost`.
  ///   - port: The port, or `nil` for the form to register, which matches any port (§7.3).
  /// - Throws: `RedirectURIError` if the issuer's path cannot be part of a redirect URI.
  public static func loopback(
    for issuer: Issuer, host: LoopbackHost = .ipv4, port: UInt16? = nil
  ) throws(RedirectURIError) -> RedirectURI {
    let port = port.map { ":\($0)" } ?? ""
    return try RedirectURI("http://\(host.rawValue)\(port)\(self.path(for: issuer))")
  }

  /// The default private-use redirect URI of an app, for example `com.example.notes:/oauth2redirect/id.example.com`.
  ///
  /// The scheme is the app's identifier, which no other app of the same publisher has (RFC 8252 §7.1). The path
  /// contains the issuer, so that each server has its own redirect URI (§8.10).
  /// - Parameter application: The app's bundle identifier or package name, which is a reversed domain name of its
  ///   publisher.
  /// - Throws: `RedirectURIError` if the identifier cannot be a private-use scheme, for example because it contains no
  ///   period, or if the issuer's path cannot be part of a redirect URI.
  public static func privateUse(for issuer: Issuer, application: String) throws(RedirectURIError) -> RedirectURI {
    // The system compares schemes without regard to case (RFC 3986 §3.1).
    let scheme = application.lowercased()
    // An identifier with a colon is not a scheme: the URI would have only the part before the colon as its scheme.
    let redirectURI = try RedirectURI("\(scheme):\(self.path(for: issuer))")
    guard redirectURI.components.scheme == scheme else { throw .malformed }
    return redirectURI
  }

  private static func path(for issuer: Issuer) -> String {
    var name = PercentEncoding.encode(issuer.host)
    if issuer.isHTTPS {
      name += issuer.url.components.port.map { ":\($0)" } ?? ""
      name += issuer.path
    }
    return "/oauth2redirect/\(name)"
  }
}
