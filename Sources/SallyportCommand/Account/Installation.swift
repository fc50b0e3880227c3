import Sallyport
import SallyportProtocol
import SallyportRemote

/// This installation's registrations at servers (RFC 7591), one for each server.
enum Installation {
  static let name = "sallyport"
  private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  static func registration(
    at server: ServerConfiguration, metadata: ClientMetadata = ClientMetadata(native: Self.name), over transport: some Transport,
    initialAccessToken: Secret<String>? = nil, dpop: DPoPPolicy
  ) -> InstanceRegistration {
    InstanceRegistration(
      server: server, metadata: metadata, store: CommandEnvironment.store, transport: transport,
      initialAccessToken: initialAccessToken, dpop: dpop)
  }

  /// The client identifier that a server assigned to this installation, or `nil` if it is not registered there. Needs
  /// no network access.
  static func clientID(at issuer: Issuer) async throws(CommandFailure) -> String? {
    do {
      let server = ServerConfiguration(issuer: issuer)
      return try await self.registration(at: server, over: CommandEnvironment.transport, dpop: .never).storedClient()?.clientID
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The client metadata for a server. It includes the device code grant only if the server supports it.
  static func metadata(for server: ProviderMetadata, redirectURI: RedirectURI?) -> ClientMetadata {
    var metadata = ClientMetadata(native: self.name, redirectURIs: redirectURI.map { [$0] } ?? [])
    if server.deviceAuthorizationEndpoint != nil {
      metadata.grantTypes?.append(self.deviceGrant)
    }
    return metadata
  }

  /// Whether the server offers the device grant, but has registered this installation without it. Servers do this if
  /// they reserve the grant for clients that the operator added.
  /// - Returns: `false` also if it is unknown which grant types the server registered.
  static func lacksDeviceGrant(_ registration: InstanceRegistration) async throws -> Bool {
    guard registration.metadata.grantTypes?.contains(self.deviceGrant) == true,
      let registered = try await registration.registeredGrantTypes()
    else { return false }
    return !registered.contains(self.deviceGrant)
  }
}
