package import SallyportProtocol
package import SallyportRemote

/// The authorization server's metadata and keys, fetched when needed and cached.
package actor Provider {
  private let server: ServerConfiguration
  private let clientID: String
  private let credentials: AuthenticationCredentials
  private let nonces: DPoPNonces
  nonisolated let transport: any Transport
  private let now: TimeSource

  private var cachedEndpoints: (endpoints: ProviderEndpoints, at: Timestamp)?
  private let discoveries = SingleFlight<Issuer, Result<ProviderEndpoints, DiscoveryError>>()

  init(
    server: ServerConfiguration, clientID: String, credentials: AuthenticationCredentials, transport: any Transport,
    nonces: DPoPNonces, now: @escaping TimeSource
  ) {
    self.server = server
    self.clientID = clientID
    self.credentials = credentials
    self.nonces = nonces
    self.transport = server.transport(over: transport)
    self.now = now
  }

  /// The server's endpoints, from metadata that is at most one hour old. Concurrent callers share one discovery.
  package func endpoints() async throws(DiscoveryError) -> ProviderEndpoints {
    // A negative age means that the clock was set back. The metadata is then fetched again.
    if let cached = self.cachedEndpoints, (.zero..<Self.lifetime).contains(self.now() - cached.at) { return cached.endpoints }
    let result = await self.discoveries.valueUnlessCanceled(for: self.server.issuer) { await self.discover() }
    guard let result else { throw .document(.transport(.cancelled)) }
    return try result.get()
  }

  /// The revocation endpoint, or `nil` if no metadata names one.
  ///
  /// If the metadata names none and discovery is automatic, this also reads the RFC 8414 document, because an OpenID
  /// configuration need not list the endpoint (OpenID Connect Discovery doesn't define it).
  package func revocation() async throws(DiscoveryError) -> RevocationEndpoint? {
    let endpoints = try await self.endpoints()
    if let revocation = endpoints.revocation { return revocation }
    guard self.server.discovery == .automatic,
      let url = await Discovery(transport: self.transport).revocationEndpoint(of: self.server.issuer)
    else { return nil }
    return RevocationEndpoint(url: url, channel: endpoints.channel)
  }

  /// Revokes the refresh token of a replaced session, so that an unused token doesn't remain valid. Ignores a failure,
  /// because the new session works without the revocation.
  func revoke(_ replaced: TokenSet?, replacedBy tokenSet: TokenSet) async {
    guard let token = replaced?.refreshToken, token != tokenSet.refreshToken else { return }
    _ = try? await self.revocation()?.revoke(token, hint: .refreshToken)
  }

  private func discover() async -> Result<ProviderEndpoints, DiscoveryError> {
    do {
      let metadata = try await Discovery(transport: self.transport).metadata(from: self.server.source)
      let methods = metadata.document.tokenEndpointAuthMethodsSupported
      let (credentials, method) = (self.credentials, self.server.clientAuthentication)
      let channel = BackChannel(
        clientID: self.clientID,
        authentication: { () async throws(BackChannelError) in
          try await credentials.authentication(method: method, methods: methods)
        }, transport: self.transport, nonces: self.nonces, now: self.now, onInvalidClient: self.credentials.onInvalidClient)
      let endpoints = ProviderEndpoints(
        metadata, of: self.server, clientID: self.clientID, channel: channel, transport: self.transport, now: self.now,
        replacing: self.cachedEndpoints?.endpoints)
      self.cachedEndpoints = (endpoints, self.now())
      return .success(endpoints)
    } catch {
      return .failure(error)
    }
  }

  private static let lifetime = Duration.seconds(3600)
}

/// A server's endpoints, configured for one client.
package struct ProviderEndpoints: Sendable {
  package let metadata: ProviderMetadata
  package let token: TokenEndpoint
  /// `nil` if the server doesn't support pushed authorization requests, or the app's configuration excludes them.
  package let pushedRequest: PushedRequestEndpoint?
  /// Whether every authorization request must be pushed to the server before the browser is opened (RFC 9126).
  package let requiresPushedRequests: Bool
  /// `nil` if the server's metadata names no revocation endpoint. With automatic discovery, ``Provider/revocation()``
  /// then also reads the RFC 8414 document.
  package let revocation: RevocationEndpoint?
  /// `nil` if the server doesn't support device authorization.
  package let deviceAuthorization: DeviceAuthorizationEndpoint?
  fileprivate let channel: BackChannel
  /// `nil` if the server's metadata names no JWK Set.
  private let keys: JWKSCache?
  /// `nil` if there are no ``keys``.
  private let verifier: IDTokenVerifier?

  /// - Parameter previous: The endpoints from older metadata. Their keys are kept unless the metadata names another JWK
  ///   Set, so that tokens can be verified even if the keys cannot be fetched again.
  init(
    _ metadata: ProviderMetadata, of server: ServerConfiguration, clientID: String, channel: BackChannel,
    transport: any Transport, now: @escaping TimeSource, replacing previous: ProviderEndpoints?
  ) {
    self.metadata = metadata
    self.channel = channel
    self.token = TokenEndpoint(
      url: metadata.tokenEndpoint, channel: channel, parameters: server.parameters, tokenMember: server.tokenMember)
    let pushedRequestURL = server.pushedRequests == .never ? nil : metadata.pushedAuthorizationRequestEndpoint
    self.pushedRequest = pushedRequestURL.map { PushedRequestEndpoint(url: $0, channel: channel) }
    self.requiresPushedRequests = server.requiresPushedRequests(metadata)
    self.revocation = metadata.revocationEndpoint.map { RevocationEndpoint(url: $0, channel: channel) }
    self.deviceAuthorization = metadata.deviceAuthorizationEndpoint.map {
      DeviceAuthorizationEndpoint(url: $0, channel: channel, issuer: metadata.issuer)
    }
    let oldKeys = previous?.metadata.jwksURI == metadata.jwksURI ? previous?.keys : nil
    let keys =
      oldKeys
      ?? metadata.jwksURI.map { JWKSCache(url: $0, transport: transport, now: now, maximumAge: .seconds(86_400)) }
    self.keys = keys
    self.verifier = keys.map { keys in
      IDTokenVerifier(
        issuer: metadata.tokenIssuer, tenants: metadata.tenants, clientID: clientID, keys: keys,
        allowedAlgorithms: metadata.idTokenSigningAlgorithms, leeway: server.clockSkew, now: now)
    }
  }

  /// Loads the server's keys in advance, so that received tokens can be verified and stored without another request.
  package func prefetchKeys() async {
    // The result doesn't matter: looking up any key loads the whole key set.
    _ = try? await self.keys?.key(id: nil, algorithm: "ES256")
  }

  /// Verifies an ID token (OpenID Connect Core §3.1.3.7).
  package func verify(
    _ token: Secret<String>, expecting expectations: IDTokenExpectations
  ) async throws(IDTokenError) -> IDTokenClaims {
    guard let verifier = self.verifier else { throw .key(.unknownKey) }
    return try await verifier.verify(token, expecting: expectations)
  }

  /// Verifies the ID token in the response to a refresh (rule C-33).
  /// - Parameter previous: The claims that the token must agree with (OpenID Connect Core §12.2), or `nil` if unknown.
  /// - Returns: `nil` if the response contains no ID token, if its key cannot be fetched or is unknown, or if only its
  ///   times are wrong, for example because of this machine's clock. The ID token is then ignored, so that the other
  ///   tokens are not lost: the server may have replaced the refresh token.
  func claims(
    ofRefreshed response: TokenResponse, previous: IDTokenClaims?
  ) async throws(IDTokenError) -> IDTokenClaims? {
    guard let idToken = response.idToken else { return nil }
    var expectations = IDTokenExpectations(nonce: nil, accessToken: response.accessToken, previous: previous)
    expectations.serverTime = response.date
    do {
      return try await self.verify(idToken, expecting: expectations)
    } catch {
      switch error {
      case .key(.document), .key(.unknownKey):
        // Do not ignore a token of another user.
        if let previous { try IDTokenVerifier.checkUnverified(idToken, since: previous) }
        return nil
      case .expired, .issuedInFuture, .notYetValid, .clockWrong: return nil
      default: throw error
      }
    }
  }
}
