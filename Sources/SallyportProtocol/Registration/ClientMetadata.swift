/// The metadata of a client (RFC 7591 §2, OpenID Connect Registration §2), used by clients and servers.
///
/// Decoding checks only the types of the members, and that `jwks` contains no private or symmetric key.
/// `CheckedClientMetadata` applies the other rules. A member that is null counts as absent.
public struct ClientMetadata: Sendable, Equatable {
  public var redirectURIs: [String]?
  /// `none`, `client_secret_basic`, `client_secret_post`, or `private_key_jwt`. The default is `client_secret_basic`.
  public var tokenEndpointAuthMethod: String?
  public var tokenEndpointAuthSigningAlg: String?
  public var grantTypes: [String]?
  public var responseTypes: [String]?
  public var clientName: String?
  /// The values of `client_name#` by language tag (RFC 7591 §2.2).
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
  /// A signed statement about the software (RFC 7591 §2.3). Sallyport's server ignores it.
  public var softwareStatement: String?
  /// `native` or `web`.
  public var applicationType: String?
  public var idTokenSignedResponseAlg: String?
  public var userinfoSignedResponseAlg: String?
  public var requestObjectSigningAlg: String?
  public var subjectType: String?
  /// The URL of a list of all redirect URIs in the same sector (OpenID Connect Registration §5).
  public var sectorIdentifierURI: String?
  /// The URLs of request objects that a `request_uri` may name.
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

  /// Creates the metadata of a native app that uses the code flow with refresh tokens (RFC 8252 §8.4).
  ///
  /// The authentication method is not set, so that the SDK can choose the best method that the server supports.
  /// - Parameters:
  ///   - name: The app's display name (`client_name`).
  ///   - redirectURIs: The redirect URIs. Omit the port of a loopback URI, because any port is allowed (RFC 8252 §7.3).
  ///     If the list is empty, the SDK registers the issuer's default loopback redirect URIs.
  public init(native name: String, redirectURIs: [RedirectURI] = []) {
    self.clientName = name
    self.redirectURIs = redirectURIs.isEmpty ? nil : redirectURIs.map(\.value)
    self.applicationType = "native"
    self.grantTypes = ["authorization_code", "refresh_token"]
    self.responseTypes = ["code"]
  }
}
