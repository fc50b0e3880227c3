public import SallyportProtocol

/// The members of a client's registration that are never used to find a client. They are stored as one JSON object.
///
/// Every member is optional, so that rows of earlier versions can be decoded.
public struct ClientDetails: Sendable, Hashable, Codable {
  /// The URIs to which a user can be redirected after signing out. They are compared byte for byte (OpenID Connect
  /// RP-Initiated Logout §3.1), except for the port of a loopback URI, which matches by the same rules as in an
  /// authorization request (RFC 8252 §7.3).
  public var postLogoutRedirectURIs: [String]?
  /// The URI to which logout tokens are sent (OpenID Connect Back-Channel Logout §2.2).
  public var backchannelLogoutURI: String?
  /// Whether a logout token must contain the session ID.
  public var backchannelLogoutSessionRequired: Bool?
  /// The resources for which the client may request tokens (RFC 8707 §2); nil for any resource.
  public var resources: [String]?
  /// The resources that the client implements. The client may introspect tokens for them (RFC 7662 §4).
  public var audiences: [String]?
  /// How to reach those who are responsible for the client, for example email addresses. The sign-in and consent pages
  /// show up to three of them, along with ``clientURI``, ``policyURI``, and ``termsOfServiceURI``.
  public var contacts: [String]?
  public var clientURI: String?
  public var logoURI: String?
  public var policyURI: String?
  public var termsOfServiceURI: String?
  /// The app IDs with their team prefix, for `apple-app-site-association` (RFC 8252 §8.4, rule S-16).
  public var appleAppIDs: [String]?
  /// The Android apps, for `assetlinks.json`.
  public var androidApps: [AndroidApp]?
  /// `require_pushed_authorization_requests` (RFC 9126 §6).
  public var requiresPushedRequests: Bool?
  /// `dpop_bound_access_tokens` (RFC 9449 §5.2).
  public var requiresDPoP: Bool?
  /// Whether every authorization request must use PKCE even if the client is confidential (RFC 9700 §2.1.1).
  public var requiresPKCE: Bool?
  /// The `acr` value that the operator requires of each grant to the client, such as `phr` (phishing-resistant); nil
  /// for no requirement.
  public var requiredContext: String?
  /// What happens when a user signs in to the client in an embedded web view; nil for ``ServerConfiguration/webViews``.
  public var webViews: WebViewPolicy?
  /// Whether an operator registered a single installation of a native app, with a secret or key that no other
  /// installation has.
  public var isOneInstallation: Bool?
  /// `require_signed_request_object` (RFC 9101 §10.5).
  public var requiresSignedRequest: Bool?
  /// `request_object_signing_alg`: the only algorithm that the client's request objects may use.
  public var requestObjectAlgorithm: String?
  /// `token_endpoint_auth_signing_alg`: the only algorithm that the client's assertions may use.
  public var assertionAlgorithm: String?
  /// `userinfo_signed_response_alg`. If set, the userinfo response is a JWT.
  public var userinfoAlgorithm: String?
  /// `default_max_age`, in seconds.
  public var defaultMaxAge: Int64?
  /// `require_auth_time` (OpenID Connect Registration §2).
  public var requiresAuthenticationTime: Bool?
  /// `default_acr_values` (OpenID Connect Registration §2).
  public var defaultACRValues: [String]?
  /// `request_uris`: the only URLs from which the client's request objects are fetched (RFC 9101 §10.4.1).
  public var requestURIs: [String]?
  public var sectorIdentifierURI: String?
  public var initiateLoginURI: String?
  public var softwareID: String?
  public var softwareVersion: String?
  /// The time at which the client's metadata document was last fetched.
  public var documentFetchedAt: Timestamp?
  /// The time at which the metadata document must be fetched again; nil if there is no document, or if it was
  /// withdrawn.
  public var documentExpiresAt: Timestamp?

  public init() {}

  /// An Android app, identified by its package name and the SHA-256 digests of its signing certificates.
  public struct AndroidApp: Sendable, Hashable, Codable {
    public var package: String
    /// Uppercase hexadecimal bytes separated by colons, as in `assetlinks.json`.
    public var certificateDigests: [String]

    public init(package: String, certificateDigests: [String]) {
      self.package = package
      self.certificateDigests = certificateDigests
    }
  }
}
