/// Why a relying party cannot be configured with certain values, which come from the operator.
package enum RelyingPartyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The relying party ID is not a domain name in lowercase letters, digits, hyphens, and periods.
  case invalidID(String)
  /// There is no origin.
  case noOrigin
  /// The text is neither an `https` origin nor an `http` origin on `localhost`, or browsers write the origin
  /// differently.
  case invalidOrigin(String)
  /// The relying party ID is neither the host of the origin nor a parent domain of the host.
  case originOutsideID(String, id: String)

  package var description: String {
    switch self {
    case .invalidID(let id):
      """
      The relying party ID must be a domain name in lowercase, such as "example.com", not "\(id)". IP addresses cannot be used.
      """
    case .noOrigin:
      "At least one origin is required."
    case .invalidOrigin(let origin):
      """
      "\(origin)" is not a valid origin. An origin has a scheme, a host, and, if it is not the default, a port, such as \
      "https://example.com" or "https://example.com:8443". "http" is allowed only for localhost.
      """
    case .originOutsideID(let origin, let id):
      """
      The origin "\(origin)" cannot use the relying party ID "\(id)", because its host is neither "\(id)" nor a subdomain. List \
      the origin as a related origin.
      """
    }
  }
}
