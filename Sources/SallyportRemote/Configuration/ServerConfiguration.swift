public import HTTPTypes
public import SallyportProtocol

/// What an app knows about its authorization server.
///
/// For a server that publishes complete metadata, the issuer is enough. For any other server, set the members that are
/// missing or wrong in its metadata. A configuration is a plain value: you can start from a preset, and print and
/// change it.
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
    /// The document at this URL. It must name the ``ServerConfiguration/issuer``, or an issuer that
    /// ``ServerConfiguration/tenants`` allows.
    case document(EndpointURL)
    /// Nothing is fetched. ``ServerConfiguration/metadata`` must contain at least the authorization and token
    /// endpoints.
    ///
    /// The app then doesn't notice when the server changes the URL of an endpoint or of its keys.
    case none
  }

  /// The server's issuer identifier, exactly as the server spells it.
  ///
  /// For a server without an issuer identifier, for example one without OpenID Connect, use its base URL. Sessions are
  /// stored under this identifier.
  public var issuer: Issuer
  /// Where the server's metadata comes from.
  public var discovery = Discovery.automatic
  /// Members of the metadata (RFC 8414 §2, OpenID Connect Discovery §3). They are added to the fetched document, or
  /// replace its members with the same names, before the document is validated. `null` removes a member.
  ///
  /// The app then doesn't follow changes that the server makes to these members.
  public var metadata: [String: JSONValue] = [:]
  /// How a client secret is sent to the server (RFC 6749 §2.3.1), or `nil` to choose by the server's metadata.
  public var clientAuthentication: ClientAuthenticationMethod?
  /// Whether authorization requests are sent directly to the server before the browser opens (RFC 9126).
  public var pushedRequests = PushedRequestPolicy.whenOffered
  /// Header fields that are added to all requests to the server, but not to requests to APIs.
  ///
  /// They are also sent when the metadata and keys are fetched, and with the ``account`` request. Fields that the
  /// client itself sets are not replaced.
  public var headers = HTTPFields()
  /// Additional parameters for each kind of request.
  public var parameters = RequestParameters.none
  /// The `prompt` parameter of sign-ins whose options don't set one.
  public var prompt: Prompt = []
  /// Scope values that the server rejects. They are left out of requests.
  ///
  /// For example, not every server knows `offline_access`, and a server without OpenID Connect doesn't know `openid`.
  /// Without `openid`, there is no ID token, and the app doesn't know who signed in unless it asks with
  /// ``OAuthSession/userInfo()``.
  public var unsupportedScopes: Scope = []
  /// The name of the parameter of the authorization request that contains the scope. Slack, for example, uses
  /// `user_scope` for the user's scope.
  public var scopeParameter = "scope"
  /// How the server sends the authorization response, or `nil` for the default, the redirect URI's query.
  public var responseMode: ResponseMode?
  /// The host of the default loopback redirect URI, or `nil` for an IP address literal (`127.0.0.1`, or `[::1]` on a
  /// machine without IPv4).
  ///
  /// Use `LoopbackHost.localhost` only for a server that accepts nothing else. The name can resolve to an address other
  /// than the loopback interface's (RFC 8252 §8.3). The receiver listens on loopback addresses in any case.
  public var loopbackHost: LoopbackHost?
  /// The member of a token response that contains the tokens, or `nil` if the response itself does.
  ///
  /// In the response to a sign-in, tokens outside this member are ignored. In the response to a refresh, tokens at the
  /// top level are accepted if this member contains no access token. If this property is set, every token is treated as
  /// a `Bearer` token.
  public var tokenMember: String?
  /// The tenants that issue ID tokens, or `nil` if ``issuer`` issues all of them.
  public var tenants: TenantPolicy?
  /// How to identify the user without OpenID Connect, or `nil` to use the server's UserInfo endpoint.
  public var account: AccountRequest?
  /// The tolerated difference between this machine's clock and the server's, for times in ID tokens.
  ///
  /// With a larger value, an expired ID token is accepted for longer.
  public var clockSkew = Duration.seconds(60)

  /// Creates the configuration of a server with complete metadata.
  public init(issuer: Issuer) {
    self.issuer = issuer
  }

  /// Creates the configuration of a server without metadata. Its ``discovery`` is ``Discovery/none``.
  /// - Parameter issuer: The issuer identifier, or the server's base URL if it has none.
  public init(issuer: Issuer, authorizationEndpoint: EndpointURL, tokenEndpoint: EndpointURL) {
    self.issuer = issuer
    self.discovery = .none
    self.authorizationEndpoint = authorizationEndpoint
    self.tokenEndpoint = tokenEndpoint
  }
}

extension ServerConfiguration {
  /// What is needed to fetch and check the metadata.
  package var source: MetadataSource {
    switch self.discovery {
    case .automatic: self.source(at: .wellKnown)
    case .document(let url): self.source(at: .document(url))
    case .none: self.source(at: .none)
    }
  }

  private func source(at location: MetadataSource.Location) -> MetadataSource {
    MetadataSource(issuer: self.issuer, location: location, members: self.metadata, tenants: self.tenants)
  }

  /// The values of a scope that the server supports.
  package func supported(_ scope: Scope) -> Scope {
    Scope(scope.tokens.filter { !self.unsupportedScopes.tokens.contains($0) }.compactMap { Scope($0) })
  }

  /// Whether a sign-in without a pushed authorization request must fail.
  package func requiresPushedRequests(_ metadata: ProviderMetadata) -> Bool {
    switch self.pushedRequests {
    case .whenOffered: metadata.document.requirePushedAuthorizationRequests ?? false
    case .never: false
    case .required: true
    }
  }
}
