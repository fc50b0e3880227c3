#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
public import SallyportRemote

extension OAuthClient {
  /// Returns the client of this installation at a server. Registers it first if necessary (RFC 7591, RFC 8252 §8.4).
  /// - Throws: ``RegistrationError``
  public static func registered(
    at issuer: Issuer, metadata: ClientMetadata, store: some TokenStore, transport: some Transport,
    initialAccessToken: Secret<String>? = nil, account: String? = nil, tokenOrigins: [EndpointURL] = [],
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(RegistrationError) -> OAuthClient {
    let registration = InstanceRegistration(
      issuer: issuer, metadata: metadata, store: store, transport: transport, initialAccessToken: initialAccessToken, now: now)
    return try await registration.client(account: account, tokenOrigins: tokenOrigins)
  }
}
