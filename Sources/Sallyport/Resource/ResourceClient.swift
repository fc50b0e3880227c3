public import SallyportProtocol
public import SallyportRemote

/// An app at one API of which it knows the URL and nothing else: an MCP server, or any other that publishes its metadata (RFC 9728).
///
///     let api = ResourceClient(url, app: AppIdentity(metadata: ClientMetadata(native: "Notes")), store: store, transport: transport)
///     let session = try await api.restoreSession() ?? api.signIn(redirects: [.loopback(via: browser, receiver: LoopbackReceiver())])
///     let response = try await session.send(request)
///
/// Each API has a session of its own, also where several have one server and one registration: its account's name is the API's URL.
public struct ResourceClient: Sendable {
  public let resource: EndpointURL

  private let app: AppIdentity
  private let store: any TokenStore
  private let transport: any Transport
  private let now: TimeSource
  private let choose: @Sendable ([Issuer]) -> Issuer?

  /// - Parameters:
  ///   - resource: the API's URL, as its metadata spell it (§3.3).
  ///   - app: who the app is at the API's authorization server.
  ///   - choose: takes one of the servers that may issue tokens for the API; by default the first.
  public init(
    _ resource: EndpointURL, app: AppIdentity, store: some TokenStore, transport: some Transport,
    now: @escaping TimeSource = Timestamp.now, choose: @escaping @Sendable ([Issuer]) -> Issuer? = { $0.first }
  ) {
    self.resource = resource
    self.app = app
    self.store = store
    self.transport = transport
    self.now = now
    self.choose = choose
  }

  /// Signs a person in: asks the API who may, finds that server, becomes a client of it, and asks for tokens for this API alone.
  /// - Parameters:
  ///   - options: without scopes those that the API names are asked for. The API is added to its resources.
  ///   - redirects: the ways that the app has, as for ``OAuthClient/signIn(_:redirects:)``.
  /// - Throws: ``ResourceSignInError``
  public func signIn(
    _ options: SignInOptions = SignInOptions(scopes: []), redirects: [RedirectOption]
  ) async throws(ResourceSignInError) -> Session {
    do {
      let found = try await ResourceDiscovery(transport: self.transport).metadata(of: self.resource)
      guard let issuer = self.choose(found.authorizationServers), found.authorizationServers.contains(issuer) else {
        throw ResourceSignInError.noServerChosen
      }
      let (client, identity) = try await self.client(at: issuer, for: found.resource)
      var options = options
      if options.scope.isEmpty { options.scope = found.scope ?? options.scope }
      let indicator = try ResourceIndicator(found.resource.value)
      if !options.resources.contains(indicator) { options.resources.append(indicator) }
      let session = try await client.signIn(options, redirects: redirects)
      let record = ResourceRecord(
        issuer: issuer, clientID: client.clientID, identity: identity, resource: found.resource.value)
      try await self.store.save(record.encoded(), for: ResourceRecord.key(self.resource, self.app))
      return session
    } catch {
      throw ResourceSignInError(any: error)
    }
  }

  /// The session that an earlier sign-in to this API left in the store; nil where nobody is signed in. Needs no network.
  /// - Throws: ``ResourceSignInError``
  public func restoreSession() async throws(ResourceSignInError) -> Session? {
    do {
      let stored = try await self.store.load(ResourceRecord.key(self.resource, self.app))
      guard let record = stored.flatMap(ResourceRecord.decode), let resource = try? EndpointURL(record.resource) else {
        return nil
      }
      let client: OAuthClient
      switch record.identity {
      case .given, .document: client = self.plainClient(record.issuer, record.clientID, resource)
      case .registered:
        let registration = self.registration(record.issuer)
        guard let known = try await registration.storedClient(account: resource.value, tokenOrigins: [resource]) else {
          return nil
        }
        client = known
      }
      guard client.clientID == record.clientID, let session = try await client.restoreSession() else { return nil }
      // A grant for something else, which came there by other means, is nothing for this API (rule C-34).
      let indicator = try ResourceIndicator(record.resource)
      return await session.resources.contains(indicator) ? session : nil
    } catch {
      throw ResourceSignInError(any: error)
    }
  }

  private func client(
    at issuer: Issuer, for resource: EndpointURL
  ) async throws -> (OAuthClient, ResourceRecord.Identity) {
    if let clientID = self.app.clientID(issuer) { return (self.plainClient(issuer, clientID, resource), .given) }
    if let document = self.app.document(issuer) {
      let client = self.plainClient(issuer, document.url.value, resource)
      let metadata = try await client.provider.endpoints().metadata
      if metadata.document.clientIDMetadataDocumentSupported ?? false { return (client, .document) }
    }
    let registration = self.registration(issuer)
    try await registration.confirm()
    return (try await registration.client(account: resource.value, tokenOrigins: [resource]), .registered)
  }

  private func plainClient(_ issuer: Issuer, _ clientID: String, _ resource: EndpointURL) -> OAuthClient {
    OAuthClient(
      issuer: issuer, clientID: clientID, store: self.store, transport: self.transport, appName: self.app.metadata.clientName,
      account: resource.value, tokenOrigins: [resource], now: self.now)
  }

  private func registration(_ issuer: Issuer) -> InstanceRegistration {
    InstanceRegistration(
      issuer: issuer, metadata: self.app.metadata, store: self.store, transport: self.transport, now: self.now)
  }
}

extension OAuthClient {
  /// Signs a person in to an API from nothing but its URL, as ``ResourceClient/signIn(_:redirects:)`` does.
  /// - Throws: ``ResourceSignInError``
  public static func signIn(
    to resource: EndpointURL, as app: AppIdentity, _ options: SignInOptions = SignInOptions(scopes: []),
    redirects: [RedirectOption], store: some TokenStore, transport: some Transport
  ) async throws(ResourceSignInError) -> Session {
    try await ResourceClient(resource, app: app, store: store, transport: transport).signIn(options, redirects: redirects)
  }
}
