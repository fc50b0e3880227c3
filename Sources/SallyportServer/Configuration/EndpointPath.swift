/// The paths of the endpoints, relative to the issuer.
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
  /// The page on which users see and change their accounts.
  package static let account = "/account"
  /// The page of a one-time link.
  package static let accountLink = "/account/link"
  /// The page of a link for sign-up.
  package static let signUpLink = "/account/sign-up/link"
  /// The page on which users who have forgotten their passwords ask for a link.
  package static let forgotPassword = "/account/forgot-password"
  /// The path below which upstreams send their responses.
  package static let upstream = "/upstream"
  package static let introspection = "/introspect"
  package static let endSession = "/end-session"
  /// The path of a client's registration is this path followed by a slash and the client ID.
  package static let registration = "/register"
}
