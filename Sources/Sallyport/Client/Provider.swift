package import SallyportProtocol
package import SallyportRemote

/// The authorization server as the client knows it: its metadata and keys, read when they are first needed.
package actor Provider {
  private let issuer: Issuer
  private let clientID: String
  private let credentials: ClientCredentials
  private let nonces: DPoPNonces
  private let transport: any Transport
  private let now: TimeSource

  private var known: (endpoints: ProviderEndpoints, at: Timestamp)?
  private let flight = SingleFlight<ProviderEndpoints, DiscoveryError>()

  init(
    issuer: Issuer, clientID: String, credentials: ClientCredentials, transport: any Transport, nonces: DPoPNonces,
    now: @escaping TimeSource
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.credentials = credentials
    self.nonces = nonces
    self.transport = transport
    self.now = now
  }

  /// The server's endpoints, from its metadata of the last hour; those who ask at the same time share one request.
  package func endpoints() async throws(DiscoveryError) -> ProviderEndpoints {
    if let known = self.known, (.zero..<Self.lifetime).contains(self.now() - known.at) { return known.endpoints }
    guard let result = await self.flight.run({ await self.discover() }) else { throw .document(.transport(.cancelled)) }
    return try result.get()
  }

  /// Where tokens are revoked; nil where the server does not revoke. Asked for when somebody signs out, since an OpenID configuration
  /// need not name it (OpenID Connect Discovery knows no revocation) and RFC 8414's document may.
  package func revocation() async throws(DiscoveryError) -> RevocationEndpoint? {
    let endpoints = try await self.endpoints()
    if let revocation = endpoints.revocation { return revocation }
    guard let url = await Discovery(transport: self.transport).revocationEndpoint(of: self.issuer) else { return nil }
    return RevocationEndpoint(url: url, channel: endpoints.channel)
  }

  private func discover() async -> Result<ProviderEndpoints, DiscoveryError> {
    do {
      let metadata = try await Discovery(transport: self.transport).metadata(of: self.issuer)
      let methods = metadata.document.tokenEndpointAuthMethodsSupported
      let channel = BackChannel(
        clientID: self.clientID, authentication: self.credentials.authentication(methods: methods), transport: self.transport,
        nonces: self.nonces, now: self.now, onInvalidClient: self.credentials.onInvalidClient)
      let endpoints = ProviderEndpoints(
        metadata, clientID: self.clientID, channel: channel, transport: self.transport, now: self.now)
      self.known = (endpoints, self.now())
      return .success(endpoints)
    } catch {
      return .failure(error)
    }
  }

  private static let lifetime = Duration.seconds(3600)
}

/// A server's endpoints, ready to be used by one client.
package struct ProviderEndpoints: Sendable {
  package let metadata: ProviderMetadata
  package let token: TokenEndpoint
  /// Nil where the server takes requests through the browser only.
  package let pushedRequest: PushedRequestEndpoint?
  /// Nil where the server's metadata name none; ``Provider/revocation()`` looks further.
  package let revocation: RevocationEndpoint?
  /// Nil where nobody can sign in on another device.
  package let deviceAuthorization: DeviceAuthorizationEndpoint?
  fileprivate let channel: BackChannel
  private let keys: JWKSCache?
  private let verifier: IDTokenVerifier?

  init(
    _ metadata: ProviderMetadata, clientID: String, channel: BackChannel, transport: any Transport, now: @escaping TimeSource
  ) {
    self.metadata = metadata
    self.channel = channel
    self.token = TokenEndpoint(url: metadata.tokenEndpoint, channel: channel)
    self.pushedRequest = metadata.pushedAuthorizationRequestEndpoint.map { PushedRequestEndpoint(url: $0, channel: channel) }
    self.revocation = metadata.revocationEndpoint.map { RevocationEndpoint(url: $0, channel: channel) }
    self.deviceAuthorization = metadata.deviceAuthorizationEndpoint.map {
      DeviceAuthorizationEndpoint(url: $0, channel: channel, issuer: metadata.issuer)
    }
    let keys = metadata.jwksURI.map { JWKSCache(url: $0, transport: transport, now: now) }
    self.keys = keys
    self.verifier = keys.map { keys in
      IDTokenVerifier(
        issuer: metadata.issuer, clientID: clientID, keys: keys, allowedAlgorithms: metadata.idTokenSigningAlgorithms, now: now)
    }
  }

  /// Reads the server's keys, so that no request for them stands between an answer with tokens and its safe keeping.
  package func prefetchKeys() async {
    _ = try? await self.keys?.key(id: nil, algorithm: "ES256")
  }

  /// Revokes the refresh token of a session whose place another one took, so that it does not live on unused.
  func revoke(_ replaced: Grant?, replacedBy grant: Grant) async {
    guard let token = replaced?.refreshToken, token != grant.refreshToken else { return }
    _ = await self.revocation?.revoke(token, hint: .refreshToken)
  }

  /// Checks an ID token, OpenID Connect Core §3.1.3.7.
  package func verify(
    _ token: Secret<String>, expecting expectations: IDTokenExpectations
  ) async throws(IDTokenError) -> IDTokenClaims {
    guard let verifier = self.verifier else { throw .key(.unknownKey) }
    return try await verifier.verify(token, expecting: expectations)
  }
}
