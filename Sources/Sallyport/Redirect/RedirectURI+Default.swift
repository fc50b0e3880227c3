public import SallyportProtocol

extension RedirectURI {
  /// The default loopback redirect URI for an issuer, whose path names it: one redirect URI for each server (RFC 8252 §8.10).
  ///
  /// `http://127.0.0.1/oauth2redirect/id.example.com` for `https://id.example.com`. The port of the issuer, where it names one, and
  /// its path follow its host, so that two issuers on one host do not meet:
  /// `…/oauth2redirect/id.example.com:8443/realms/a`. An issuer reached over `http`, which is one on this machine and for
  /// development only, is named by its host alone, so that it can be started on any port.
  /// - Parameters:
  ///   - host: the loopback address.
  ///   - port: nil for the form that is registered, which matches any port (§7.3).
  /// - Throws: `RedirectURIError`, where the issuer's path does not go into a redirect URI.
  public static func loopback(
    for issuer: Issuer, host: LoopbackHost = .ipv4, port: UInt16? = nil
  ) throws(RedirectURIError) -> RedirectURI {
    var name = PercentEncoding.encode(issuer.host)
    if issuer.isHTTPS {
      name += issuer.url.components.port.map { ":\($0)" } ?? ""
      name += issuer.path
    }
    let port = port.map { ":\($0)" } ?? ""
    return try RedirectURI("http://\(host.rawValue)\(port)/oauth2redirect/\(name)")
  }
}
