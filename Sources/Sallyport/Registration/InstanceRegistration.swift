#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
public import SallyportRemote

/// The dynamic registration of one installation of an app at a server (RFC 7591, RFC 8252 §8.4).
///
/// The server assigns an identifier. Unless the app is registered as a public client, this installation also gets its
/// own secret or registers its own key. The identifier and these credentials are kept in the app's store, so that later
/// runs and other processes use the same registration. If two processes with the same store start at the same time,
/// only one registers.
///
/// ```swift
/// let registration = InstanceRegistration(
///   server: ServerConfiguration(issuer: issuer), metadata: ClientMetadata(native: "Notes"), store: store,
///   transport: transport)
/// let client = try await registration.client()
/// ```
public struct InstanceRegistration: Sendable {
  /// What the app knows about the authorization server.
  public let server: ServerConfiguration
  /// The app's client metadata. If it differs from the metadata of the last run,
  /// ``client(appName:account:tokenOrigins:)`` updates the registration or, if the server doesn't offer that, registers
  /// the app again.
  public let metadata: ClientMetadata

  let store: any TokenStore
  /// Sends the requests to the server, with the header fields that ``server`` specifies.
  let serverTransport: any Transport
  let transport: any Transport
  let now: TimeSource
  let dpop: ClientDPoP
  let initialAccessToken: Secret<String>?

  /// Creates a registration for one server. No request is sent yet.
  /// - Parameters:
  ///   - server: What the app knows about the authorization server.
  ///   - metadata: The app's client metadata. Without `token_endpoint_auth_method`, the app registers the first of
  ///     these methods that the server supports: a key of this installation, a secret, or no authentication. Without
  ///     redirect URIs, an app that uses the authorization code grant registers the default loopback redirect URIs for
  ///     this server, without a port.
  ///   - store: Where the registration and the tokens are stored.
  ///   - transport: Sends HTTP requests.
  ///   - initialAccessToken: The initial access token, if the server requires one (RFC 7591 §3).
  ///   - dpop: Whether tokens are bound to a key of this installation (RFC 9449). By default they are bearer tokens.
  ///   - dpopKeys: Creates and loads the keys that tokens are bound to.
  ///   - now: Returns the current time.
  public init(
    server: ServerConfiguration, metadata: ClientMetadata, store: some TokenStore, transport: some Transport,
    initialAccessToken: Secret<String>? = nil, dpop: DPoPPolicy = .never,
    dpopKeys: some DPoPKeySource = SoftwareDPoPKeys(), now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.dpop = ClientDPoP(policy: dpop, keys: dpopKeys)
    self.server = server
    self.metadata = metadata
    self.store = store
    self.transport = transport
    self.serverTransport = server.transport(over: transport)
    self.initialAccessToken = initialAccessToken
    self.now = { Timestamp(now()) }
  }

  /// The authorization server's issuer identifier.
  public var issuer: Issuer { self.server.issuer }

  /// Returns the client for this registration. If an up-to-date registration is stored, this needs no network access.
  ///
  /// Registers the app if no registration is stored or the secret has expired. If the app's metadata or the configured
  /// loopback host has changed, updates the registration or, if the server doesn't offer that, registers again.
  /// - Parameters:
  ///   - appName: The app's display name, or `nil` for the client name in the metadata.
  ///   - account: The name that the app gives to one of several accounts; see ``OAuthClient``.
  ///   - tokenOrigins: The URLs whose origins may receive tokens; see ``OAuthClient``.
  /// - Throws: ``RegistrationError``
  public func client(
    appName: String? = nil, account: String? = nil, tokenOrigins: [EndpointURL] = []
  ) async throws(RegistrationError) -> OAuthClient {
    do {
      return try self.client(of: await self.upToDateRecord(), appName: appName, account: account, tokenOrigins: tokenOrigins)
    } catch {
      throw RegistrationError(any: error)
    }
  }

  /// Returns the client for the stored registration, even if it is out of date, or `nil` if no registration is stored.
  /// This needs no network access.
  package func storedClient(
    appName: String? = nil, account: String? = nil, tokenOrigins: [EndpointURL] = []
  ) async throws(TokenStoreError) -> OAuthClient? {
    guard let record = try await self.stored() else { return nil }
    return try self.client(of: record, appName: appName, account: account, tokenOrigins: tokenOrigins)
  }

  /// Returns the grant types that the server registered, which can be fewer than the app asked for (RFC 7591 §3.2.1).
  /// This needs no network access.
  /// - Returns: `nil` if this installation is not registered, or if the server's response did not list the grant types.
  package func registeredGrantTypes() async throws(TokenStoreError) -> [String]? {
    try await self.stored()?.grantTypes
  }

  private func client(
    of record: InstanceRecord, appName: String?, account: String?, tokenOrigins: [EndpointURL]
  ) throws(TokenStoreError) -> OAuthClient {
    let clientID = record.clientID
    let authentication = try record.authentication(issuer: self.issuer)
    return OAuthClient(
      server: self.server, clientID: clientID,
      credentials: .instance(authentication) { await self.handleInvalidClient(clientID) }, store: self.store,
      transport: self.transport, appName: appName ?? self.metadata.clientName, account: account,
      tokenOrigins: tokenOrigins, dpop: self.dpop, now: self.now)
  }

  /// Brings the registration up to date as ``client(appName:account:tokenOrigins:)`` does. Then asks the server whether
  /// it still has the registration, and registers again if not.
  ///
  /// Call this before sending a user to the browser. If the server no longer has the client, it can only show the user
  /// an error page. The registration is not checked if the server confirmed it within the last hour, or if the server
  /// didn't provide a URL for managing it.
  /// - Returns: `true` if the check found that the server no longer had the registration, and a new registration has
  ///   replaced it.
  /// - Throws: ``RegistrationError``
  @discardableResult
  public func confirm() async throws(RegistrationError) -> Bool {
    do {
      let current = try await self.upToDateRecord()
      guard self.now().seconds - current.confirmedAt > Self.confirmationInterval, current.management != nil else { return false }
      // The closure returns the record to store, and the result of this function.
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

  /// Reads the registered metadata from the server (RFC 7592 §2.1).
  /// - Throws: ``RegistrationError``; ``RegistrationError/forgotten`` if the server no longer has the registration. The
  ///   stored registration is then removed, so that the next call to ``client(appName:account:tokenOrigins:)``
  ///   registers again.
  public func read() async throws(RegistrationError) -> ClientMetadata {
    do {
      let metadata: ClientMetadata? = try await self.withRecord { stored in
        let (record, management) = try Self.manageable(stored)
        do {
          let response = try await self.endpoint.read(management)
          return (try record.renewed(by: response, requested: record.requested, at: self.now()), response.metadata)
        } catch RegistrationError.forgotten {
          return (nil, nil)
        }
      }
      guard let metadata else { throw RegistrationError.forgotten }
      return metadata
    } catch {
      throw RegistrationError(any: error)
    }
  }

  /// Deletes the registration at the server (RFC 7592 §2.3) and in the store, with all sessions of this client.
  /// - Throws: ``RegistrationError``. If the server rejects the deletion or cannot be reached, the store is unchanged.
  ///   If the server no longer has the registration, this is not an error.
  public func delete() async throws(RegistrationError) {
    do {
      let clientID = try await self.withRecord { stored in
        let (record, management) = try Self.manageable(stored)
        do {
          try await self.endpoint.delete(management)
        } catch RegistrationError.forgotten {
          // The registration is already gone.
        }
        return (nil, record.clientID)
      }
      let sessions = try await SessionIndex(store: self.store).entries(of: self.issuer, clientID: clientID)
      // The account without a name is included even if the index of sessions does not list it.
      for account in Set(sessions.map(\.account)).union([nil]) {
        let tokenSets = TokenSetStore(store: self.store, issuer: self.issuer, clientID: clientID, account: account)
        // The lease waits for a refresh by another process, which could otherwise store new tokens after the removal.
        try await self.store.withLease(on: tokenSets.session.key) { try await tokenSets.remove() }
      }
    } catch {
      throw RegistrationError(any: error)
    }
  }

  /// Handles an `invalid_client` error.
  ///
  /// If the server no longer has the registration, or didn't provide a URL for managing it, the stored registration is
  /// removed, so that the next call to ``client(appName:account:tokenOrigins:)`` registers again. If the server returns
  /// the registration, the stored registration is updated. If the request fails for another reason, nothing changes.
  /// - Parameter clientID: The client identifier that the server rejected. If the stored registration has another one,
  ///   nothing changes.
  func handleInvalidClient(_ clientID: String) async {
    // Errors are ignored: the app must see the `invalid_client` error itself, and the next such error calls this
    // function again.
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

  /// How long the server's last confirmation of a registration is trusted, in seconds.
  private static let confirmationInterval: Int64 = 3600

  var endpoint: RegistrationEndpoint { RegistrationEndpoint(transport: self.serverTransport) }

  private static func manageable(
    _ stored: InstanceRecord?
  ) throws(RegistrationError) -> (InstanceRecord, RegistrationEndpoint.Management) {
    guard let stored else { throw .notRegistered }
    guard let management = stored.management else { throw .notManageable }
    return (stored, management)
  }
}
