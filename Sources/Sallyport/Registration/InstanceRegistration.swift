public import SallyportProtocol
public import SallyportRemote

/// An installed app that registers itself at a server, once for each installation (RFC 7591, RFC 8252 §8.4).
///
/// What the server gives (an identifier, and a secret or a registered key of this instance alone) rests in the app's store, so that
/// later runs and other processes use the same. Two processes that start at the same time register once.
///
///     let registration = InstanceRegistration(
///       issuer: issuer, metadata: ClientMetadata(native: "Notes"), store: store, transport: transport)
///     let client = try await registration.client()
public struct InstanceRegistration: Sendable {
  public let issuer: Issuer
  /// What the app says of itself. Another one than at the last run changes the registration.
  public let metadata: ClientMetadata

  let store: any TokenStore
  let transport: any Transport
  let now: TimeSource
  let dpop: ClientDPoP
  private let initialAccessToken: Secret<String>?

  /// - Parameters:
  ///   - metadata: without `token_endpoint_auth_method` the best is registered that the server offers: a key of this instance, then a
  ///     secret, then nothing. Without redirect URIs it is the issuer's own loopback redirect, without a port.
  ///   - initialAccessToken: where the server asks for one, RFC 7591 §3.
  ///   - dpop: whether tokens are bound to a key of this installation (RFC 9449).
  ///   - dpopKeys: where such keys come from.
  public init(
    issuer: Issuer, metadata: ClientMetadata, store: some TokenStore, transport: some Transport,
    initialAccessToken: Secret<String>? = nil, dpop: DPoPPolicy = .whenOffered,
    dpopKeys: some DPoPKeySource = SoftwareDPoPKeys(), now: @escaping TimeSource = Timestamp.now
  ) {
    self.dpop = ClientDPoP(policy: dpop, keys: dpopKeys)
    self.issuer = issuer
    self.metadata = metadata
    self.store = store
    self.transport = transport
    self.initialAccessToken = initialAccessToken
    self.now = now
  }

  /// The client that this instance is at the server. Needs no network once it is registered.
  ///
  /// Registers where nothing is stored or the secret has run out; changes the registration where the app's metadata have changed.
  /// - Throws: ``RegistrationError``
  public func client(
    appName: String? = nil, account: String? = nil, tokenOrigins: [EndpointURL] = []
  ) async throws(RegistrationError) -> OAuthClient {
    do {
      return try self.client(of: await self.current(), appName: appName, account: account, tokenOrigins: tokenOrigins)
    } catch {
      throw RegistrationError(any: error)
    }
  }

  /// The client that this instance was registered as, whatever has changed since; nil where it never was. Needs no network.
  package func storedClient(
    appName: String? = nil, account: String? = nil, tokenOrigins: [EndpointURL] = []
  ) async throws(TokenStoreError) -> OAuthClient? {
    guard let record = try await self.stored() else { return nil }
    return try self.client(of: record, appName: appName, account: account, tokenOrigins: tokenOrigins)
  }

  private func client(
    of record: InstanceRecord, appName: String?, account: String?, tokenOrigins: [EndpointURL]
  ) throws(TokenStoreError) -> OAuthClient {
    OAuthClient(
      registration: self, clientID: record.clientID, authentication: try record.authentication(issuer: self.issuer),
      appName: appName ?? self.metadata.clientName, account: account, tokenOrigins: tokenOrigins)
  }

  /// Asks the server whether it still knows this instance, and registers anew where it does not.
  ///
  /// To be called before a person is sent to the browser: a server that has forgotten the client can only show them an error page.
  /// - Returns: whether a new registration took the old one's place.
  /// - Throws: ``RegistrationError``
  @discardableResult
  public func confirm() async throws(RegistrationError) -> Bool {
    do {
      let before = try await self.current()
      guard self.now().seconds - before.confirmedAt > Self.confirmationInterval, before.management != nil else { return false }
      return try await self.withRecord { stored in
        guard let stored, let management = stored.management else { return (stored, false) }
        do {
          let response = try await self.endpoint.read(management)
          return (try stored.renewed(by: response, requested: stored.requested, at: self.now()), false)
        } catch RegistrationError.forgotten {
          return (try await self.register(), true)
        }
      }
    } catch {
      throw RegistrationError(any: error)
    }
  }

  /// What the server has registered, RFC 7592 §2.1.
  /// - Throws: ``RegistrationError``; ``RegistrationError/forgotten`` where it knows nothing any more.
  public func read() async throws(RegistrationError) -> ClientMetadata {
    do {
      return try await self.withRecord { stored in
        let (record, management) = try Self.manageable(stored)
        let response = try await self.endpoint.read(management)
        return (try record.renewed(by: response, requested: record.requested, at: self.now()), response.metadata)
      }
    } catch {
      throw RegistrationError(any: error)
    }
  }

  /// Removes the registration from the server (RFC 7592 §2.3) and from the store, with all sessions that belong to it.
  /// - Throws: ``RegistrationError``; the store is left as it is where the server could not be reached or refused.
  public func delete() async throws(RegistrationError) {
    do {
      let clientID = try await self.withRecord { stored in
        let (record, management) = try Self.manageable(stored)
        do {
          try await self.endpoint.delete(management)
        } catch RegistrationError.forgotten {
          // It is gone, which was the wish.
        }
        return (nil, record.clientID)
      }
      let sessions = try await SessionIndex(store: self.store).entries(of: self.issuer, clientID: clientID)
      // The one without a name also where the list could not be read.
      for account in Set(sessions.map(\.account)).union([nil]) {
        try await GrantStore(store: self.store, issuer: self.issuer, clientID: clientID, account: account).remove()
      }
    } catch {
      throw RegistrationError(any: error)
    }
  }

  /// Called when the server answered `invalid_client`: a registration that it does not know any more is forgotten here too, so that the
  /// next ``client(appName:account:tokenOrigins:)`` registers anew. One that it knows is renewed from what the server says of it.
  func refused(_ clientID: String) async {
    // Should this fail, the next refusal comes here again; what the server said is what the app must hear.
    try? await self.withRecord { stored in
      guard let stored, stored.clientID == clientID else { return (stored, ()) }
      guard let management = stored.management else { return (nil, ()) }
      do {
        let response = try await self.endpoint.read(management)
        return (try stored.renewed(by: response, requested: stored.requested, at: self.now()), ())
      } catch RegistrationError.forgotten {
        return (nil, ())
      }
    }
  }

  /// How old the server's last word about a registration may be, in seconds.
  private static let confirmationInterval: Int64 = 3600

  var endpoint: RegistrationEndpoint { RegistrationEndpoint(transport: self.transport) }

  private static func manageable(
    _ stored: InstanceRecord?
  ) throws(RegistrationError) -> (InstanceRecord, RegistrationEndpoint.Management) {
    guard let stored else { throw .notRegistered }
    guard let management = stored.management else { throw .notManageable }
    return (stored, management)
  }

  /// One registration for each program that says of itself that it is this one.
  private var key: TokenStoreKey {
    TokenStoreKey(
      kind: "registration", issuer: self.issuer.value, clientID: self.metadata.softwareID ?? self.metadata.clientName ?? "")
  }

  private func stored() async throws(TokenStoreError) -> InstanceRecord? {
    // One that cannot be read registers anew, as one that is not there: nothing of it could be used.
    try await self.store.load(self.key).flatMap(InstanceRecord.decode)
  }

  private func isCurrent(_ record: InstanceRecord) -> Bool {
    record.requested == self.metadata && !record.isExpired(at: self.now())
  }

  private func current() async throws -> InstanceRecord {
    if let stored = try await self.stored(), self.isCurrent(stored) { return stored }
    return try await self.withRecord { stored in
      // Another process may have been first.
      guard let stored else { return try await self.both(self.register()) }
      if self.isCurrent(stored) { return (stored, stored) }
      return try await self.both(self.changed(stored))
    }
  }

  private func both(_ record: InstanceRecord) -> (InstanceRecord?, InstanceRecord) { (record, record) }

  /// RFC 7592 §2.2 where the server lets the registration be changed and its secret is good; otherwise a new one.
  private func changed(_ stored: InstanceRecord) async throws -> InstanceRecord {
    guard let management = stored.management, !stored.isExpired(at: self.now()) else { return try await self.register() }
    do {
      var whole = try self.whole()
      whole.tokenEndpointAuthMethod = stored.method
      if let key = stored.key, stored.method == "private_key_jwt" { whole.jwks = ClientKeySet(keys: [key.publicKey]) }
      _ = try CheckedClientMetadata(whole)
      let response = try await self.endpoint.update(whole, secret: stored.secret.map { Secret($0) }, management)
      return try stored.renewed(by: response, requested: self.metadata, at: self.now())
    } catch RegistrationError.forgotten, RegistrationError.notManageable {
      return try await self.register()
    }
  }

  /// Runs `body` on what is stored while no other process does, and stores what it returns first (nil removes).
  private func withRecord<R: Sendable>(
    _ body: @Sendable (InstanceRecord?) async throws -> (InstanceRecord?, R)
  ) async throws -> R {
    try await self.store.withLease(on: self.key) {
      let before = try await self.stored()
      let (record, result) = try await body(before)
      if let record {
        try await self.store.save(record.encoded(), for: self.key)
      } else if before != nil {
        try await self.store.remove(self.key)
      }
      return result
    }
  }

  /// RFC 7591 §3: with the best authentication first that the server offers, and the next where it will not register that.
  private func register() async throws -> InstanceRecord {
    let provider = try await Discovery(transport: self.transport).metadata(of: self.issuer)
    guard let endpoint = provider.registrationEndpoint else { throw RegistrationError.notOffered }
    var refusal: RegistrationError = .notOffered
    for method in self.methods(provider) {
      var sent = try self.whole()
      let key = method == "private_key_jwt" ? ClientAssertionKey() : nil
      sent.tokenEndpointAuthMethod = method
      sent.jwks = key.map { ClientKeySet(keys: [$0.publicKey]) } ?? sent.jwks
      _ = try CheckedClientMetadata(sent)
      do {
        let response = try await self.endpoint.register(sent, at: endpoint, token: self.initialAccessToken)
        return try InstanceRecord(response, requested: self.metadata, sent: sent, key: key, at: self.now())
      } catch RegistrationError.refused(let reason) where reason.code == .invalidClientMetadata {
        refusal = .refused(reason)
      }
    }
    throw refusal
  }

  /// The app's metadata with the redirect URIs that it leaves to the SDK: one for each server (RFC 8252 §8.10), without a port (§7.3).
  private func whole() throws -> ClientMetadata {
    var metadata = self.metadata
    let usesCode = (metadata.grantTypes ?? ["authorization_code"]).contains("authorization_code")
    if usesCode, (metadata.redirectURIs ?? []).isEmpty {
      metadata.redirectURIs = try [LoopbackHost.ipv4, .ipv6].map { try RedirectURI.loopback(for: self.issuer, host: $0).value }
    }
    return metadata
  }

  private func methods(_ provider: ProviderMetadata) -> [String] {
    if let method = self.metadata.tokenEndpointAuthMethod { return [method] }
    // RFC 8414 §2: where nothing is announced it is `client_secret_basic`; a public client can always try.
    let offered = provider.document.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
    let algorithms = provider.document.tokenEndpointAuthSigningAlgValuesSupported ?? ["ES256"]
    let known = ["private_key_jwt", "client_secret_basic", "client_secret_post"].filter { method in
      offered.contains(method) && (method != "private_key_jwt" || algorithms.contains("ES256"))
    }
    return known + ["none"]
  }
}

extension OAuthClient {
  /// The client that this installation is at a server; registered now where it is not yet (RFC 7591, RFC 8252 §8.4).
  /// - Throws: ``RegistrationError``
  public static func registered(
    at issuer: Issuer, metadata: ClientMetadata, store: some TokenStore, transport: some Transport,
    initialAccessToken: Secret<String>? = nil, account: String? = nil, tokenOrigins: [EndpointURL] = [],
    now: @escaping TimeSource = Timestamp.now
  ) async throws(RegistrationError) -> OAuthClient {
    let registration = InstanceRegistration(
      issuer: issuer, metadata: metadata, store: store, transport: transport, initialAccessToken: initialAccessToken, now: now)
    return try await registration.client(account: account, tokenOrigins: tokenOrigins)
  }
}
