import ArgumentParser
import Sallyport
import SallyportDesktop
import SallyportProtocol
import SallyportRemote

/// The sign-in that `login` performs.
///
/// Unless its comment says otherwise, a property has the value of the command's option or, without the option, the
/// value of the existing account. If the API's metadata is read, the server and the scope are from the metadata instead
/// of the existing account.
struct LoginTarget: Sendable {
  var profile: ProfileName?
  /// `nil` if the API's metadata names the issuer (RFC 9728).
  var issuer: Issuer?
  /// What the user specified about the server in this call.
  var server: ServerDescription?
  /// Whether the user specified the issuer in this call.
  var isIssuerSpecified: Bool
  /// The client identifier that the user specified. `nil` to use the existing account's client, or to register this
  /// installation (RFC 7591).
  var clientID: String?
  /// The existing account to sign in to again. Its client and redirect URI are used only at the same server.
  var existingAccount: Account?
  /// The API to sign in to, if any.
  var resource: EndpointURL?
  /// Whether to read the API's metadata (RFC 9728), which names the API's servers and scope.
  var readsAPIMetadata: Bool
  /// `nil` to request the scope that the API's metadata implies, or the default scope.
  var scope: Scope?
  /// The redirect URI that the user specified in this call.
  var redirectURI: RedirectURI?
  /// Whether the tokens must be bound to a key of this installation (RFC 9449).
  var isBound: Bool
  /// The URLs whose origins may receive the tokens. Empty if the tokens are for an API (``resource``).
  var tokenOrigins: [EndpointURL]
  /// The parameters of this authorization request only.
  var oneTimeParameters: RequestParameterOptions.OneTimeParameters
  /// The additional parameters of every authorization request for the account.
  var parameters: [String: String]
  /// The secret that the user specified in this call.
  var clientSecret: Secret<String>?
  /// The token with which this installation may register itself, if the user specified one.
  var initialAccessToken: Secret<String>?

  /// Checks that a sign-in with a browser has the client secret that the provider requires.
  /// - Throws: `ValidationError`
  func checkSecret(_ plan: SignInPlan) throws(ValidationError) {
    guard case .provider(let provider) = self.server ?? self.existingAccount?.server, provider.requiresSecretWithBrowser,
      plan.methods.first == .browser, self.clientSecret == nil, self.existingAccount?.hasSecret != true
    else { return }
    throw ValidationError(
      "No client secret was specified, and \(provider.text) requires one for sign-in with a browser. Specify it with "
        + "--client-secret-file, or sign in with --device, which needs no secret.")
  }

  /// What ``resolve(over:)`` determines: the account, and its OAuth client.
  struct Resolved: Sendable {
    var account: Account
    var client: OAuthClient
    /// Whether the server is known to support the `claims` parameter.
    var supportsClaimsParameter = false
    /// Whether the server has registered this installation without the device grant, although it offers the grant to
    /// other clients.
    var registrationLacksDeviceGrant = false

    /// The methods of a plan that this client can use.
    func usablePlan(from plan: SignInPlan) throws(CommandFailure) -> SignInPlan {
      guard self.registrationLacksDeviceGrant else { return plan }
      var plan = plan
      plan.methods.removeAll { $0 == .device }
      guard !plan.methods.isEmpty else { throw .deviceGrantDenied(self.account.issuer) }
      return plan
    }

    func options(timeout: Duration, _ oneTimeParameters: RequestParameterOptions.OneTimeParameters) throws -> SignInOptions {
      var options = SignInOptions(scopes: [self.account.scope ?? Arguments.defaultScope], timeout: timeout)
      options.loginHint = oneTimeParameters.loginHint
      options.prompt = oneTimeParameters.prompt
      options.acrValues = oneTimeParameters.acrValues
      options.additional = try AdditionalParameters(
        self.account.parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
      options.resources = try self.account.resource.map { [try ResourceIndicator($0.value)] } ?? []
      // Request the names in the ID token, because tokens for an API cannot be used at the UserInfo endpoint.
      if self.supportsClaimsParameter, self.account.resource != nil, options.scope.contains(.openID) {
        options.claims = ClaimsRequest(idToken: ["preferred_username": ClaimsRequest.Claim(), "name": ClaimsRequest.Claim()])
      }
      return options
    }
  }

  /// Determines the values that were not specified. Reads the API's metadata and registers this installation if
  /// necessary.
  func resolve(over transport: some Transport) async throws -> Resolved {
    let api = self.readsAPIMetadata ? try await self.api(over: transport) : nil
    // With metadata, `issuer(of:)` returns one of the API's servers. Without metadata, an option or the existing
    // account specifies the server.
    let resolvedIssuer: Issuer? = if let api { try self.issuer(of: api) } else { self.issuer }
    guard let issuer = resolvedIssuer else { throw CommandFailure.notSignedIn }
    var account = self.account(at: issuer)
    // The user can specify the URL of a path although only the origin has metadata. The account is then for the whole
    // origin, which the metadata names as the resource.
    account.resource = api?.resource ?? self.resource
    var (supportsClaimsParameter, registrationLacksDeviceGrant) = (false, false)
    let client: OAuthClient
    // The server's metadata is needed to register this installation, and to choose the scope for the API.
    if account.usesOwnRegistration || (api != nil && self.scope == nil) {
      let server = try await Discovery(transport: transport).metadata(from: account.configuration.source)
      if let api, self.scope == nil { account.scope = Self.scope(of: api, at: server) }
      supportsClaimsParameter = server.document.claimsParameterSupported ?? false
      if account.usesOwnRegistration {
        let registration = try self.registration(for: account, of: server, over: transport)
        client = try await self.client(of: registration, for: account)
        registrationLacksDeviceGrant = try await Installation.lacksDeviceGrant(registration)
      } else {
        client = try await self.client(for: account, over: transport)
      }
      account.clientID = client.clientID
    } else {
      client = try await self.client(for: account, over: transport)
    }
    return Resolved(
      account: account, client: client, supportsClaimsParameter: supportsClaimsParameter,
      registrationLacksDeviceGrant: registrationLacksDeviceGrant)
  }

  private func client(for account: Account, over transport: some Transport) async throws -> OAuthClient {
    guard let secret = self.clientSecret else {
      let stored = account.hasSecret ? try await StoredClientSecret.stored(for: account, in: CommandEnvironment.store) : nil
      return try CommandEnvironment.client(for: account, secret: stored, over: transport)
    }
    return try CommandEnvironment.client(for: account, secret: secret, over: transport)
  }

  /// The account at a server. The existing account's client, redirect URI, secret, and server description are used only
  /// at the same server, because the API may name another server now.
  private func account(at issuer: Issuer) -> Account {
    let existingAccount = self.existingAccount.flatMap { $0.issuer == issuer ? $0 : nil }
    // `login` finds the existing account by the client identifier, if the user specified one, so the two identifiers
    // are equal. `nil` means the client that this installation registers.
    let clientID: String? =
      if let existingAccount {
        existingAccount.usesOwnRegistration ? nil : existingAccount.clientID
      } else {
        self.clientID
      }
    return Account(
      profile: self.profile, issuer: issuer, clientID: clientID ?? "", usesOwnRegistration: clientID == nil,
      resource: self.resource, scope: self.scope, redirectURI: self.redirectURI ?? existingAccount?.redirectURI,
      isBound: self.isBound,
      tokenOrigins: self.tokenOrigins, parameters: self.parameters,
      hasSecret: self.clientSecret != nil || (existingAccount.map { $0.hasSecret && $0.clientID == clientID } ?? false),
      server: self.server ?? existingAccount?.server)
  }

  /// Whether the user specified this server in this call, or is already signed in to the account there. If neither is
  /// true, only the API's metadata names the server, and the server may be malicious.
  private func isChosen(_ issuer: Issuer) -> Bool {
    self.isIssuerSpecified || self.existingAccount?.issuer == issuer
  }

  private func api(over transport: some Transport) async throws -> ProtectedResource? {
    guard let resource = self.resource else { return nil }
    return try await ResourceDiscovery(transport: transport).metadata(of: resource)
  }

  /// The scope that the API names, and the values of the default scope that the server supports.
  private static func scope(of api: ProtectedResource, at server: ProviderMetadata) -> Scope {
    let supportedScope = Scope((server.scopesSupported ?? []).compactMap { Scope($0) })
    return Scope([api.scope ?? Scope([]), Arguments.defaultScope.intersection(supportedScope)])
  }

  /// The specified server or, if none was specified, the first server that the API names; `nil` if the API names none.
  /// Throws if the API doesn't name the specified server.
  private func issuer(of api: ProtectedResource) throws -> Issuer? {
    guard let issuer = self.issuer else { return api.authorizationServers.first }
    guard api.authorizationServers.contains(issuer) else {
      let servers = api.authorizationServers.map { "\(ShellWords($0.value))" }.joined(separator: ", ")
      throw CommandFailure(
        .failed, "The API does not accept tokens from \(issuer).", "Use --issuer with one of its servers: \(servers).")
    }
    return issuer
  }

  private func registration(
    for account: Account, of server: ProviderMetadata, over transport: some Transport
  ) throws(CommandFailure) -> InstanceRegistration {
    Installation.registration(
      at: try account.configuration, metadata: Installation.metadata(for: server, redirectURI: account.redirectURI),
      over: transport, initialAccessToken: self.isChosen(account.issuer) ? self.initialAccessToken : nil,
      dpop: account.dpopPolicy)
  }

  private func client(of registration: InstanceRegistration, for account: Account) async throws -> OAuthClient {
    if try await registration.storedClient() == nil {
      guard self.isChosen(account.issuer) || self.initialAccessToken == nil else {
        throw CommandFailure.tokenForUnnamedServer(account.issuer)
      }
      Output.message("Registering at \(account.issuer).")
    }
    // Without this check, a server that has removed the client would show the user an error page.
    try await registration.confirm()
    return try await registration.client(
      appName: Installation.name, account: account.sessionName, tokenOrigins: account.allTokenOrigins)
  }
}
