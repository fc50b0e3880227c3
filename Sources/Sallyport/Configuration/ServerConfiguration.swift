public import HTTPTypes
public import SallyportProtocol
package import SallyportRemote

/// What an app knows about its authorization server.
///
/// For a server that publishes complete metadata, the issuer is enough. For any other server, give what is missing or
/// wrong in the metadata. A configuration is a plain value: you can start from a preset, and print and change it.
///
/// ```swift
/// var server = ServerConfiguration(issuer: try Issuer("https://id.example"))
/// server.revocationEndpoint = try EndpointURL("https://id.example/oauth/revoke")
/// server.parameters.authorization = try AdditionalParameters(["audience": "https://api.example"])
/// let client = OAuthClient(server: server, clientID: "notes", store: store, transport: transport)
/// ```
///
/// No option turns off PKCE, `state`, signatures, redirect matching, or TLS.
public struct ServerConfiguration: Sendable, Equatable {
  /// Where the server's metadata comes from.
  public enum Discovery: Sendable, Equatable {
    /// The issuer's OpenID configuration or, if there is none, the RFC 8414 document.
    case automatic
    /// The document at this URL. It must name the ``ServerConfiguration/issuer``.
    case document(EndpointURL)
    /// Nothing is fetched. ``ServerConfiguration/metadata`` must contain at least the authorization and token endpoints.
    ///
    /// The app then doesn't notice when the server moves an endpoint or replaces its keys' URL.
    case none
  }

  /// The server's issuer identifier, exactly as the server spells it.
  ///
  /// A server without an issuer identifier, for example one without OpenID Connect, gets its base URL. Sessions are
  /// stored under this identifier.
  public var issuer: Issuer
  /// Where the server's metadata comes from.
  public var discovery = Discovery.automatic
  /// Members of the metadata (RFC 8414 §2, OpenID Connect Discovery §3), which replace those of the fetched document
  /// before it is validated. `null` removes a member.
  ///
  /// The app then doesn't follow changes that the server makes to these members.
  public var metadata: [String: JSONValue] = [:]
  /// How a client secret is sent to the server (RFC 6749 §2.3.1), or `nil` to choose by the server's metadata.
  public var clientAuthentication: ClientAuthenticationMethod?
  /// Whether authorization requests are pushed (RFC 9126).
  public var pushedRequests = PushedRequestPolicy.whenOffered
  /// Header fields that are added to all requests to the server, but not to requests to APIs.
  ///
  /// They are also sent when the metadata and keys are fetched. Fields that the client itself sets are not replaced.
  public var headers = HTTPFields()
  /// Additional parameters for each kind of request.
  public var parameters = RequestParameters.none
  /// How the server prompts the user if the sign-in's options don't say.
  public var prompt: Prompt = []
  /// The tolerated difference between this machine's clock and the server's, for times in ID tokens.
  ///
  /// With a larger value, an expired ID token is accepted for longer.
  public var clockSkew = Duration.seconds(60)

  /// Creates the configuration of a server whose metadata says everything.
  public init(issuer: Issuer) {
    self.issuer = issuer
  }

  /// Creates the configuration of a server without metadata. It has no discovery.
  /// - Parameter issuer: The issuer identifier, or the server's base URL if it has none.
  public init(issuer: Issuer, authorizationEndpoint: EndpointURL, tokenEndpoint: EndpointURL) {
    self.issuer = issuer
    self.discovery = .none
    self.authorizationEndpoint = authorizationEndpoint
    self.tokenEndpoint = tokenEndpoint
  }
}

extension ServerConfiguration {
  /// Where the metadata comes from, in the form that `SallyportRemote` uses.
  package var source: MetadataSource {
    switch self.discovery {
    case .automatic: MetadataSource(issuer: self.issuer, members: self.metadata)
    case .document(let url): MetadataSource(issuer: self.issuer, location: .document(url), members: self.metadata)
    case .none: MetadataSource(issuer: self.issuer, location: .none, members: self.metadata)
    }
  }

  func requiresPushedRequests(_ metadata: ProviderMetadata) -> Bool {
    switch self.pushedRequests {
    case .whenOffered: metadata.document.requirePushedAuthorizationRequests ?? false
    case .never: false
    case .required: true
    }
  }
}
