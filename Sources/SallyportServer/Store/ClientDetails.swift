public import SallyportProtocol

/// What a client's registration says besides: nothing that a store has to understand, so it rests as one JSON object.
///
/// Every member has a default, so a row that an earlier version wrote can be read.
public struct ClientDetails: Sendable, Hashable, Codable {
  /// Where the person may be sent after signing out, compared byte for byte (OpenID Connect RP-Initiated Logout §3.1),
  /// but for the port of a loopback address, as with redirect URIs (RFC 8252 §7.3).
  public var postLogoutRedirectURIs: [String]?
  /// OpenID Connect Back-Channel Logout §2.2.
  public var backchannelLogoutURI: String?
  /// Whether a logout token must name the session.
  public var backchannelLogoutSessionRequired: Bool?
  /// The resource indicators that the client may ask tokens for (RFC 8707 §2).
  public var resources: [String]?
  /// The resources that the client itself is: it may introspect tokens that are for one of them (RFC 7662 §4).
  public var audiences: [String]?
  /// Shown on the consent page.
  public var contacts: [String]?
  public var clientURI: String?
  public var logoURI: String?
  public var policyURI: String?
  public var termsOfServiceURI: String?
  /// Application identifiers with their team prefix, for `apple-app-site-association` (RFC 8252 §8.4, rule S-16).
  public var appleAppIDs: [String]?
  /// For `assetlinks.json`.
  public var androidApps: [AndroidApp]?
  /// `require_pushed_authorization_requests`, RFC 9126 §6.
  public var requiresPushedRequests: Bool?
  /// `dpop_bound_access_tokens`, RFC 9449 §5.2.
  public var requiresDPoP: Bool?
  /// Whether every authorization request needs a PKCE challenge, although the client is confidential (RFC 9700 §2.1.1).
  public var requiresPKCE: Bool?
  /// Whether an operator registered a single installation of a native app, whose secret or key no other installation has.
  public var isOneInstallation: Bool?
  /// `require_signed_request_object`, RFC 9101 §10.5.
  public var requiresSignedRequest: Bool?
  /// `request_object_signing_alg`: the only algorithm that the client's request objects may have.
  public var requestObjectAlgorithm: String?
  /// `token_endpoint_auth_signing_alg`: the only algorithm that the client's assertions may have.
  public var assertionAlgorithm: String?
  /// `userinfo_signed_response_alg`: the userinfo answer is a JWT.
  public var userinfoAlgorithm: String?
  /// `default_max_age`, in seconds.
  public var defaultMaxAge: Int64?
  /// `require_auth_time`.
  public var requiresAuthenticationTime: Bool?
  /// `default_acr_values`.
  public var defaultACRValues: [String]?
  /// `request_uris`: the only addresses from which a request object of the client is fetched (RFC 9101 §10.4.1).
  public var requestURIs: [String]?
  public var sectorIdentifierURI: String?
  public var initiateLoginURI: String?
  public var softwareID: String?
  public var softwareVersion: String?
  /// When the client's metadata document was last fetched, for a client that is known by one.
  public var documentFetchedAt: Timestamp?
  /// Until when that document may be used.
  public var documentExpiresAt: Timestamp?

  public init() {}

  /// An Android app by its package and the SHA-256 digests of the certificates that sign it.
  public struct AndroidApp: Sendable, Hashable, Codable {
    public var package: String
    /// Upper-case hexadecimal bytes with colons between, as `assetlinks.json` has them.
    public var certificateDigests: [String]

    public init(package: String, certificateDigests: [String]) {
      self.package = package
      self.certificateDigests = certificateDigests
    }
  }
}
