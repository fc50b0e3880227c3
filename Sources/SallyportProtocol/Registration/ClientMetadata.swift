/// What a client says of itself, RFC 7591 §2 and OpenID Connect Registration §2, as both ends send and read it.
///
/// Nothing is checked here but the types; ``CheckedClientMetadata`` holds the rules. A member that is null counts as absent.
public struct ClientMetadata: Sendable, Equatable {
  public var redirectURIs: [String]?
  /// `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`; a server takes an absent one for `client_secret_basic`.
  public var tokenEndpointAuthMethod: String?
  public var tokenEndpointAuthSigningAlg: String?
  public var grantTypes: [String]?
  public var responseTypes: [String]?
  public var clientName: String?
  /// `client_name#` with a language tag, RFC 7591 §2.2.
  public var localizedClientNames: [String: String] = [:]
  public var clientURI: String?
  public var logoURI: String?
  public var scope: String?
  public var contacts: [String]?
  public var termsOfServiceURI: String?
  public var policyURI: String?
  public var jwksURI: String?
  public var jwks: ClientKeySet?
  public var softwareID: String?
  public var softwareVersion: String?
  /// A signed statement about the software, RFC 7591 §2.3; carried and not read.
  public var softwareStatement: String?
  /// `native` or `web`.
  public var applicationType: String?
  public var idTokenSignedResponseAlg: String?
  public var userinfoSignedResponseAlg: String?
  public var requestObjectSigningAlg: String?
  public var subjectType: String?
  /// Where the list of all redirect URIs is that belong together, OpenID Connect Registration §5.
  public var sectorIdentifierURI: String?
  /// The addresses of request objects that a `request_uri` may name.
  public var requestURIs: [String]?
  public var initiateLoginURI: String?
  public var postLogoutRedirectURIs: [String]?
  public var backchannelLogoutURI: String?
  public var backchannelLogoutSessionRequired: Bool?
  public var defaultMaxAge: Int?
  public var requireAuthTime: Bool?
  public var defaultACRValues: [String]?
  public var dpopBoundAccessTokens: Bool?
  public var requirePushedAuthorizationRequests: Bool?
  public var requireSignedRequestObject: Bool?

  public init() {}

  /// A native app: the code flow with refresh tokens (RFC 8252 §8.4).
  ///
  /// How it proves itself is left open: the SDK takes the best that the server offers.
  /// - Parameter redirectURIs: those on a loopback address without a port, since any is allowed (RFC 8252 §7.3). Where there are none
  ///   the SDK registers the issuer's own loopback redirect.
  public init(native name: String, redirectURIs: [RedirectURI] = []) {
    self.clientName = name
    self.redirectURIs = redirectURIs.isEmpty ? nil : redirectURIs.map(\.value)
    self.applicationType = "native"
    self.grantTypes = ["authorization_code", "refresh_token"]
    self.responseTypes = ["code"]
  }
}
