#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
public import SallyportRemote

/// A client for an API that an app knows only by its URL, such as an MCP server. The API publishes its metadata
/// (RFC 9728).
///
/// ```swift
/// let app = AppIdentity(metadata: ClientMetadata(native: "Notes"))
/// let url = try EndpointURL("https://api.example.com/notes")
/// let api = ResourceClient(url, app: app, store: store, transport: transport)
/// let session: OAuthSession
/// if let restored = try await api.restoreSession() {
///   session = restored
/// } else {
///   session = try await api.signIn(redirects: [.loopback(via: browser, receiver: receiver)])
/// }
/// let response = try await session.send(request)
/// ```
///
/// Each API has its own session, even if several APIs share an authorization server and the app's registration at that
/// server. The session's account name is the resource identifier in the API's metadata: the API's URL or, if only the
/// API's origin publishes metadata, the URL of the origin. In the second case, a sign-in to another such API at this
/// origin replaces the session.
public struct ResourceClient: Sendable {
  /// The URL of the API.
  public let resource: EndpointURL

  private let app: AppIdentity
  private let store: any TokenStore
  private let transport: any Transport
  private let dpop: DPoPPolicy
  private let dpopKeys: any DPoPKeySource
  private let now: @Sendable () -> Date
  private let choose: @Sendable ([Issuer]) -> Issuer?

  /// Creates a client for an API.
  /// - Parameters:
  ///   - resource: The API's URL, exactly as its metadata spells it (RFC 9728 §3.3). If only the API's origin publishes
  ///     metadata, the URL can have any path.
  ///   - app: The app's identity at the API's authorization server.
  ///   - store: Where tokens are stored.
  ///   - transport: Sends HTTP requests.
  ///   - dpop: Whether tokens are bound to a key of this installation (RFC 9449). By default they are bearer tokens.
  ///   - dpopKeys: The source of these keys.
  ///   - now: Returns the current time.
  ///   - choose: Returns one of the authorization servers that the API names, or `nil` to sign in at none of them. By
  ///     default, the first server is used.
  public init(
    _ resource: EndpointURL, app: AppIdentity, store: some TokenStore, transport: some Transport,
    dpop: DPoPPolicy = .never, dpopKeys: some DPoPKeySource = SoftwareDPoPKeys(),
    now: @escaping @Sendable () -> Date = { Date() }, choose: @escaping @Sendable ([Issuer]) -> Issuer? = { $0.first }
  ) {
    self.resource = resource
    self.app = app
    self.store = store
    self.transport = transport
    self.dpop = dpop
    self.dpopKeys = dpopKeys
    self.now = now
    self.choose = choose
  }

  /// Signs a user in: finds the API's authorization server, registers the app there if necessary, and requests tokens
  /// for this API.
  /// - Parameters:
  ///   - options: The sign-in options. If they contain no scopes, the scopes that the API names are requested. The API
  ///     is added to the resources.
  ///   - redirects: The redirect options that the app supports; see ``OAuthClient/signIn(_:redirects:)``.
  /// - Throws: ``ResourceSignInError``
  public func signIn(
    _ options: SignInOptions = SignInOptions(scopes: []), redirects: [RedirectOption]
  ) async throws(ResourceSignInError) -> OAuthSession {
    do {
      let metadata = try await ResourceDiscovery(transport: self.transport).metadata(of: self.resource)
      let servers = metadata.authorizationServers
      guard let issuer = self.choose(servers), servers.contains(issuer) else { throw ResourceSignInError.noServerChosen }
      let (client, identity) = try await self.client(at: issuer, for: metadata.resource)
      var options = options
      if options.scope.isEmpty { options.scope = metadata.scope ?? options.scope }
      let indicator = try ResourceIndicator(metadata.resource.value)
      if !options.resources.contains(indicator) { options.resources.append(indicator) }
      let session = try await client.signIn(options, redirects: redirects)
      let record = ResourceRecord(
        issuer: issuer, clientID: client.clientID, identity: identity, resource: metadata.resource.value)
      try await self.store.save(record.encoded(), for: ResourceRecord.key(self.resource, self.app))
      return session
    } catch {
      throw ResourceSignInError(any: error)
    }
  }

  /// Restores the session that an earlier sign-in to this API left in the store, without network access.
  /// - Parameter readOnly: Whether the session only uses the tokens that other processes store; see
  ///   ``OAuthClient/restoreSession(readOnly:)``.
  /// - Returns: `nil` if no user is signed in, if the registration that the sign-in used is no longer stored, or if the
  ///   stored session is not for this API.
  /// - Throws: ``ResourceSignInError``
  public func restoreSession(readOnly: Bool = false) async throws(ResourceSignInError) -> OAuthSession? {
    do {
      let stored = try await self.store.load(ResourceRecord.key(self.resource, self.app))
      guard let record = stored.flatMap(ResourceRecord.decode), let resource = try? EndpointURL(record.resource) else {
        return nil
      }
      let client: OAuthClient
      switch record.identity {
      case .given, .document: client = try self.plainClient(record.issuer, record.clientID, resource)
      case .registered:
        let registration = try self.registration(record.issuer)
        guard let storedClient = try await registration.storedClient(account: resource.value, tokenOrigins: [resource]) else {
          return nil
        }
        client = storedClient
      }
      guard client.clientID == record.clientID, let session = try await client.restoreSession(readOnly: readOnly) else {
        return nil
      }
      // Ignore a session for other resources (rule C-34). An `OAuthClient` of the app with the same account name can
      // have stored one.
      let indicator = try ResourceIndicator(record.resource)
      return await session.resources.contains(indicator) ? session : nil
    } catch {
      throw ResourceSignInError(any: error)
    }
  }

  /// Returns the client for a sign-in, and how it is identified at the authorization server. In this order of
  /// preference, the client uses the client ID that the app has at this server, the URL of the app's metadata document
  /// if the server supports such documents, or a registration of this installation.
  private func client(
    at issuer: Issuer, for resource: EndpointURL
  ) async throws -> (OAuthClient, ResourceRecord.Identity) {
    if let clientID = self.app.clientID(at: issuer) { return (try self.plainClient(issuer, clientID, resource), .given) }
    if let document = self.app.document(for: issuer) {
      let client = try self.plainClient(issuer, document.url.value, resource)
      let metadata = try await client.provider.endpoints().metadata
      if metadata.document.clientIDMetadataDocumentSupported ?? false { return (client, .document) }
    }
    let registration = try self.registration(issuer)
    try await registration.confirm()
    return (try await registration.client(account: resource.value, tokenOrigins: [resource]), .registered)
  }

  /// Returns a client without credentials, for a client ID that does not come from a registration of this installation.
  private func plainClient(
    _ issuer: Issuer, _ clientID: String, _ resource: EndpointURL
  ) throws(DiscoveryError) -> OAuthClient {
    OAuthClient(
      server: try self.app.server(at: issuer), clientID: clientID, store: self.store, transport: self.transport,
      appName: self.app.metadata.clientName, account: resource.value, tokenOrigins: [resource], dpop: self.dpop,
      dpopKeys: self.dpopKeys, now: self.now)
  }

  private func registration(_ issuer: Issuer) throws(DiscoveryError) -> InstanceRegistration {
    InstanceRegistration(
      server: try self.app.server(at: issuer), metadata: self.app.metadata, store: self.store, transport: self.transport,
      dpop: self.dpop, dpopKeys: self.dpopKeys, now: self.now)
  }
}

extension OAuthClient {
  /// Signs a user in to an API that the app knows only by its URL; see ``ResourceClient/signIn(_:redirects:)``.
  /// - Throws: ``ResourceSignInError``
  public static func signIn(
    to resource: EndpointURL, as app: AppIdentity, _ options: SignInOptions = SignInOptions(scopes: []),
    redirects: [RedirectOption], store: some TokenStore, transport: some Transport, dpop: DPoPPolicy = .never
  ) async throws(ResourceSignInError) -> OAuthSession {
    try await ResourceClient(resource, app: app, store: store, transport: transport, dpop: dpop)
      .signIn(options, redirects: redirects)
  }
}
