import Sallyport
import SallyportDesktop
import SallyportProtocol
import SallyportRemote

/// Where `login` leads: the flags, then what the account was signed in to with, then what the API and the server say of themselves.
struct LoginTarget: Sendable {
  var profile: ProfileName?
  /// Nil where the API has to be asked (RFC 9728).
  var issuer: Issuer?
  /// Whether the person named the issuer in this call.
  var isIssuerNamed: Bool
  /// The client that the person named; nil where it is the known account's, or this installation registers itself (RFC 7591).
  var clientID: String?
  /// The account that is signed in to again. What it has at its server holds at no other one.
  var known: Account?
  var resource: EndpointURL?
  var asksAPI: Bool
  /// Nil for what is asked for by default.
  var scope: Scope?
  var redirectURI: RedirectURI?
  var isBound: Bool
  var initialAccessToken: Secret<String>?

  /// An account at a server, and its client.
  struct Resolved: Sendable {
    var account: Account
    var client: OAuthClient
    /// Whether the server takes a wish for single claims.
    var takesClaims = false
    /// Whether the server has registered this installation without the device grant, which it offers to other clients.
    var isDeniedDeviceGrant = false

    /// The ways of a plan that this client can use.
    func usable(_ plan: SignInPlan) throws(CommandFailure) -> SignInPlan {
      guard self.isDeniedDeviceGrant else { return plan }
      var plan = plan
      plan.methods.removeAll { $0 == .device }
      guard !plan.methods.isEmpty else { throw .deviceGrantDenied(self.account.issuer) }
      return plan
    }

    func options(timeout: Duration) throws -> SignInOptions {
      var options = SignInOptions(scopes: [self.account.scope ?? Arguments.defaultScope], timeout: timeout)
      options.resources = try self.account.resource.map { [try ResourceIndicator($0.value)] } ?? []
      // The tokens are for the API and not for the server's userinfo endpoint.
      if self.takesClaims, self.account.resource != nil, options.scope.contains(.openID) {
        options.claims = ClaimsRequest(idToken: ["preferred_username": ClaimRequest(), "name": ClaimRequest()])
      }
      return options
    }
  }

  /// Finds out what was not said. Asks the API, and registers, where that is needed.
  func resolve(over transport: some Transport) async throws -> Resolved {
    let api = self.asksAPI ? try await self.api(over: transport) : nil
    guard let issuer = try api.map(self.issuer) ?? self.issuer else { throw CommandFailure.notSignedIn }
    var account = self.account(at: issuer)
    // Metadata at the root speak of the whole origin, and then that is the API.
    account.resource = api?.resource ?? self.resource
    var (takesClaims, isDeniedDeviceGrant) = (false, false)
    let client: OAuthClient
    if account.isRegistered || (api != nil && self.scope == nil) {
      let server = try await Discovery(transport: transport).metadata(of: issuer)
      if let api, self.scope == nil { account.scope = Self.scope(of: api, at: server) }
      takesClaims = server.document.claimsParameterSupported ?? false
      if account.isRegistered {
        let registration = self.registration(for: account, of: server, over: transport)
        client = try await self.client(of: registration, for: account)
        isDeniedDeviceGrant = try await Installation.isDeniedDeviceGrant(registration)
      } else {
        client = CommandEnvironment.client(for: account, over: transport)
      }
      account.clientID = client.clientID
    } else {
      client = CommandEnvironment.client(for: account, over: transport)
    }
    return Resolved(
      account: account, client: client, takesClaims: takesClaims, isDeniedDeviceGrant: isDeniedDeviceGrant)
  }

  /// A client and a redirect URI are registered at one server, and an API may name another one by now.
  private func account(at issuer: Issuer) -> Account {
    let known = self.known.flatMap { $0.issuer == issuer ? $0 : nil }
    let clientID = known.map { $0.isRegistered ? nil : $0.clientID } ?? self.clientID
    return Account(
      profile: self.profile, issuer: issuer, clientID: clientID ?? "", isRegistered: clientID == nil, resource: self.resource,
      scope: self.scope, redirectURI: self.redirectURI ?? known?.redirectURI, isBound: self.isBound)
  }

  /// Whether the person chose this server, now or at an earlier sign-in. An API alone may name any, also one that collects tokens.
  private func isChosen(_ issuer: Issuer) -> Bool {
    self.isIssuerNamed || self.known?.issuer == issuer
  }

  private func api(over transport: some Transport) async throws -> ProtectedResource? {
    guard let resource = self.resource else { return nil }
    return try await ResourceDiscovery(transport: transport).metadata(of: resource)
  }

  /// What the API names, and of what is asked for by default that which the server says that it has.
  private static func scope(of api: ProtectedResource, at server: ProviderMetadata) -> Scope {
    let offered = Scope((server.scopesSupported ?? []).compactMap { Scope($0) })
    return Scope([api.scope ?? Scope([]), Arguments.defaultScope.intersection(offered)])
  }

  /// The server that the person named, which the API must name too, or the API's first one.
  private func issuer(of api: ProtectedResource) throws -> Issuer? {
    guard let issuer = self.issuer else { return api.authorizationServers.first }
    guard api.authorizationServers.contains(issuer) else {
      let servers = api.authorizationServers.map { "\($0)" }.joined(separator: ", ")
      throw CommandFailure(.failed, "The API takes no tokens of \(issuer); it names \(servers).")
    }
    return issuer
  }

  private func registration(
    for account: Account, of server: ProviderMetadata, over transport: some Transport
  ) -> InstanceRegistration {
    Installation.registration(
      at: account.issuer, metadata: Installation.metadata(for: server, redirectURI: account.redirectURI), over: transport,
      initialAccessToken: self.isChosen(account.issuer) ? self.initialAccessToken : nil,
      dpop: self.isBound ? .required : .never)
  }

  private func client(of registration: InstanceRegistration, for account: Account) async throws -> OAuthClient {
    if try await registration.storedClient() == nil {
      guard self.isChosen(account.issuer) || self.initialAccessToken == nil else {
        throw CommandFailure.tokenForUnnamedServer(account.issuer)
      }
      Output.talk("Registering at \(account.issuer).")
    }
    // A server that has forgotten the client could only show an error page.
    try await registration.confirm()
    return try await registration.client(appName: Installation.name, account: account.sessionName)
  }
}
