import SallyportProtocol
import SallyportRemote

extension InstanceRegistration {
  /// Registers the app (RFC 7591 §3). Tries each of ``metadataAlternatives()`` with each of ``methods(_:)``, in order,
  /// until the server accepts one. If the server rejects the redirect URIs, the remaining methods are skipped, and the
  /// next alternative is tried. Any error except a rejection of the metadata or of the redirect URIs ends the attempts.
  func register() async throws -> InstanceRecord {
    let provider = try await Discovery(transport: self.serverTransport).metadata(from: self.server.source)
    guard let endpoint = provider.registrationEndpoint else { throw RegistrationError.notOffered }
    // Each rejected attempt replaces this value, and there is always at least one attempt.
    var rejection = RegistrationError.notOffered
    for metadata in try self.metadataAlternatives() {
      methods: for method in self.methods(provider) {
        do {
          return try await self.register(metadata, method, at: endpoint)
        } catch RegistrationError.refused(let reason) where reason.code == .invalidClientMetadata {
          rejection = .refused(reason)
        } catch RegistrationError.refused(let reason) where reason.code == .invalidRedirectURI {
          // Another authentication method would not help.
          rejection = .refused(reason)
          break methods
        }
      }
    }
    throw rejection
  }

  private func register(_ metadata: ClientMetadata, _ method: String, at endpoint: EndpointURL) async throws -> InstanceRecord {
    var sent = metadata
    let key = method == "private_key_jwt" ? ClientAssertionKey() : nil
    sent.tokenEndpointAuthMethod = method
    sent.jwks = key.map { ClientKeySet(keys: [$0.publicKey]) } ?? sent.jwks
    _ = try CheckedClientMetadata(sent)
    let response = try await self.endpoint.register(sent, at: endpoint, token: self.initialAccessToken)
    var record = try InstanceRecord(response, requested: self.metadata, sent: sent, key: key, at: self.now())
    record.loopbackHost = self.server.loopbackHost?.rawValue
    return record
  }

  /// Updates the registration (RFC 7592 §2.2) if the server allows it and the secret has not expired. Otherwise
  /// registers again.
  func updated(_ stored: InstanceRecord) async throws -> InstanceRecord {
    guard let management = stored.management, !stored.isExpired(at: self.now()) else { return try await self.register() }
    // Each rejected attempt replaces this value, and there is always at least one attempt.
    var rejection = RegistrationError.notManageable
    for metadata in try self.metadataAlternatives() {
      var metadata = metadata
      metadata.tokenEndpointAuthMethod = stored.method
      if let key = stored.key, stored.method == "private_key_jwt" { metadata.jwks = ClientKeySet(keys: [key.publicKey]) }
      _ = try CheckedClientMetadata(metadata)
      do {
        let response = try await self.endpoint.update(metadata, secret: stored.secret.map { Secret($0) }, management)
        var record = try stored.renewed(by: response, requested: self.metadata, at: self.now())
        record.loopbackHost = self.server.loopbackHost?.rawValue
        return record
      } catch RegistrationError.forgotten, RegistrationError.notManageable {
        return try await self.register()
      } catch RegistrationError.refused(let reason)
        where reason.code == .invalidRedirectURI || reason.code == .invalidClientMetadata
      {
        rejection = .refused(reason)
      }
    }
    throw rejection
  }

  /// The metadata to register, in order of preference.
  ///
  /// If the app uses the authorization code grant and its metadata has no redirect URIs, default loopback redirect URIs
  /// are added. They are different for each server (RFC 8252 §8.10) and have no port (§7.3). If the configuration
  /// specifies a host, there is one URI with this host. Otherwise, there is one for each loopback address, and because
  /// some servers reject `http://[::1]`, a second alternative omits that URI.
  private func metadataAlternatives() throws -> [ClientMetadata] {
    let usesCode = (self.metadata.grantTypes ?? ["authorization_code"]).contains("authorization_code")
    guard usesCode, (self.metadata.redirectURIs ?? []).isEmpty else { return [self.metadata] }
    let alternatives = self.server.loopbackHost.map { [[$0]] } ?? [[.ipv4, .ipv6], [.ipv4]]
    return try alternatives.map { hosts in
      var metadata = self.metadata
      metadata.redirectURIs = try hosts.map { try RedirectURI.loopback(for: self.issuer, host: $0).value }
      return metadata
    }
  }

  /// The authentication methods to try, in order of preference.
  private func methods(_ provider: ProviderMetadata) -> [String] {
    if let method = self.metadata.tokenEndpointAuthMethod { return [method] }
    // If the server's metadata lists no methods, the server supports `client_secret_basic` (RFC 8414 §2). Registration
    // as a public client (`none`) is tried last, even if the server doesn't list `none`. If the metadata lists no
    // signing algorithms, `ES256` is tried.
    let supportedMethods = provider.document.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
    let algorithms = provider.document.tokenEndpointAuthSigningAlgValuesSupported ?? ["ES256"]
    let supported = ["private_key_jwt", "client_secret_basic", "client_secret_post"].filter { method in
      supportedMethods.contains(method) && (method != "private_key_jwt" || algorithms.contains("ES256"))
    }
    return supported + ["none"]
  }
}
