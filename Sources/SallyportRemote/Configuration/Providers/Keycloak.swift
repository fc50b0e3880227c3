public import SallyportProtocol

extension ServerConfiguration {
  /// A realm of a Keycloak server.
  /// - Parameters:
  ///   - url: The server's URL, for example `https://sso.example.com`; before Keycloak 17, with the path `/auth`.
  ///   - realm: The realm's name.
  /// - Throws: `EndpointURLError` if the URL and the realm are not a valid issuer identifier.
  public static func keycloak(_ url: EndpointURL, realm: String) throws(EndpointURLError) -> ServerConfiguration {
    // https://keycloak.org/securing-apps/oidc-layers (read 2026-11-23)
    guard !realm.isEmpty, !realm.contains("/") else { throw .malformed }
    let base = url.value.hasSuffix("/") ? String(url.value.dropLast()) : url.value
    return ServerConfiguration(issuer: try Issuer("\(base)/realms/\(realm)"))
  }
}
