#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
public import SallyportRemote

/// The client of a native app at one authorization server. It signs users in through their own browser (RFC 8252).
///
/// In the browser, the client always uses the authorization code grant with PKCE `S256`. An app is normally a public
/// client without a secret; if the server requires one, see ``ClientSecret``. Creating a client and restoring a session
/// need no network access.
///
/// ```swift
/// let client = OAuthClient(issuer: issuer, clientID: "notes", store: store, transport: transport)
/// let session: OAuthSession
/// if let restored = try await client.restoreSession() {
///   session = restored
/// } else {
///   session = try await client.signIn(scopes: [.openID, .offlineAccess], via: browser, receiver: receiver)
/// }
/// let response = try await session.send(request)
/// ```
public struct OAuthClient: Sendable {
  /// What the app knows about the authorization server.
  public let server: ServerConfiguration
  /// The client identifier that is registered at the server.
  public let clientID: String
  /// The app's display name, shown on the last page of a sign-in or sign-out.
  public let appName: String?
  /// The name that the app gives to the account, for example `work`, or `nil` for the unnamed account.
  public private(set) var account: String?

  let store: any TokenStore
  let transport: any Transport
  let now: TimeSource
  let provider: Provider
  let tokenOrigins: Set<Origin>
  let dpop: ClientDPoP
  /// Whether all installations of the app authenticate with the same secret or the same signing key.
  let sendsSharedSecret: Bool

  /// Creates a client.
  /// - Parameters:
  ///   - server: What the app knows about the authorization server.
  ///   - clientID: The client identifier that is registered at the server.
  ///   - store: Where tokens are stored.
  ///   - transport: Sends HTTP requests.
  ///   - appName: The app's display name.
  ///   - account: The name that the app gives to one of several accounts at the same issuer, for example `work`. Each
  ///     account has its own session. `nil` and the empty string both mean the unnamed account.
  ///   - tokenOrigins: URLs of the APIs that tokens may be sent to. Only the origins of these URLs matter. They apply
  ///     to sign-ins without ``SignInOptions/resources``, and to sign-ins whose resources contain no URL. If a resource
  ///     is a URL, tokens may be sent only to the origins of the resources; see
  ///     ``OAuthSession/send(_:for:body:limits:)``. This setting is not sent to the server.
  ///   - dpop: Whether tokens are bound to a key of this installation (RFC 9449). By default they are bearer tokens.
  ///   - dpopKeys: The source of the DPoP keys, for example the Secure Enclave.
  ///   - clientSecret: The client secret, if the server requires one. Omit it if the client can be registered as a
  ///     public client.
  ///   - now: Returns the current time.
  public init(
    server: ServerConfiguration, clientID: String, store: some TokenStore, transport: some Transport, appName: String? = nil,
    account: String? = nil, tokenOrigins: [EndpointURL] = [], dpop: DPoPPolicy = .never,
    dpopKeys: some DPoPKeySource = SoftwareDPoPKeys(), clientSecret: ClientSecret? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.server = server
    self.clientID = clientID
    self.appName = appName
    self.account = account.flatMap { $0.isEmpty ? nil : $0 }
    self.store = store
    self.transport = transport
    let now: TimeSource = { Timestamp(now()) }
    self.now = now
    self.dpop = ClientDPoP(policy: dpop, keys: dpopKeys)
    self.sendsSharedSecret = server.clientAuthentication != .noSecret && clientSecret?.isShared ?? false
    let source = clientSecret.map { ClientSecretSource($0, clientID: clientID, audience: server.issuer, now: now) }
    self.provider = Provider(
      server: server, clientID: clientID, credentials: source.map { .secret($0) } ?? .none,
      transport: transport, nonces: self.dpop.nonces, now: now)
    self.tokenOrigins = Set(tokenOrigins.map(Origin.init))
  }

  /// Creates a client of a server that publishes complete metadata.
  ///
  /// ``init(server:clientID:store:transport:appName:account:tokenOrigins:dpop:dpopKeys:clientSecret:now:)``
  /// describes the parameters.
  /// - Parameter issuer: The authorization server's issuer identifier.
  public init(
    issuer: Issuer, clientID: String, store: some TokenStore, transport: some Transport, appName: String? = nil,
    account: String? = nil, tokenOrigins: [EndpointURL] = [], dpop: DPoPPolicy = .never,
    dpopKeys: some DPoPKeySource = SoftwareDPoPKeys(), clientSecret: ClientSecret? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      server: ServerConfiguration(issuer: issuer), clientID: clientID, store: store, transport: transport, appName: appName,
      account: account, tokenOrigins: tokenOrigins, dpop: dpop, dpopKeys: dpopKeys, clientSecret: clientSecret,
      now: now)
  }

  /// Creates the client of an installation that registered itself, with the registration's credentials.
  init(
    server: ServerConfiguration, clientID: String, credentials: AuthenticationCredentials, store: any TokenStore,
    transport: any Transport, appName: String?, account: String?, tokenOrigins: [EndpointURL], dpop: ClientDPoP,
    now: @escaping TimeSource
  ) {
    self.server = server
    self.clientID = clientID
    self.appName = appName
    self.account = account.flatMap { $0.isEmpty ? nil : $0 }
    self.store = store
    self.transport = transport
    self.now = now
    self.dpop = dpop
    self.sendsSharedSecret = false
    self.provider = Provider(
      server: server, clientID: clientID, credentials: credentials, transport: transport, nonces: dpop.nonces, now: now)
    self.tokenOrigins = Set(tokenOrigins.map(Origin.init))
  }

  /// The authorization server's issuer identifier.
  public var issuer: Issuer { self.server.issuer }

  /// Returns a copy of this client for another account.
  func with(account: String?) -> OAuthClient {
    var client = self
    client.account = account
    return client
  }

  var tokenSets: TokenSetStore {
    TokenSetStore(store: self.store, issuer: self.issuer, clientID: self.clientID, account: self.account)
  }
}
