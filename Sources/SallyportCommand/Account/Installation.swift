import Sallyport
import SallyportProtocol
import SallyportRemote

/// This installation's registrations at servers (RFC 7591), one for each server.
enum Installation {
  static let name = "sallyport"

  static func registration(
    at issuer: Issuer, metadata: ClientMetadata = ClientMetadata(native: Self.name), over transport: some Transport,
    initialAccessToken: Secret<String>? = nil, dpop: DPoPPolicy = .never
  ) -> InstanceRegistration {
    InstanceRegistration(
      issuer: issuer, metadata: metadata, store: CommandEnvironment.store, transport: transport,
      initialAccessToken: initialAccessToken, dpop: dpop)
  }

  /// The client metadata for a server. It includes the device code grant only if the server supports it.
  static func metadata(for server: ProviderMetadata, redirectURI: RedirectURI?) -> ClientMetadata {
    var metadata = ClientMetadata(native: self.name, redirectURIs: redirectURI.map { [$0] } ?? [])
    if server.deviceAuthorizationEndpoint != nil {
      metadata.grantTypes?.append("urn:ietf:params:oauth:grant-type:device_code")
    }
    return metadata
  }
}
