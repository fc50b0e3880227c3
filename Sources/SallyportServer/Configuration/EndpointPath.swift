/// The paths of the endpoints, relative to the issuer. For the account pages, see ``AccountPath``.
package enum EndpointPath {
  package static let authorization = "/authorize"
  package static let token = "/token"
  package static let revocation = "/revoke"
  package static let userinfo = "/userinfo"
  package static let jwks = "/jwks.json"
  package static let pushedRequest = "/par"
  package static let deviceAuthorization = "/device_authorization"
  /// The page on which users enter the code that their device shows.
  package static let device = "/device"
  /// The path below which upstreams (other OpenID providers) send users back, and notify this server of sign-outs.
  package static let upstream = "/upstream"
  package static let introspection = "/introspect"
  package static let endSession = "/end-session"
  /// The path for new registrations. The path of an existing registration has a slash and the client ID after it.
  package static let registration = "/register"
}
