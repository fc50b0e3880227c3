#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportRemote

/// The stored form of this installation's registration at one server (rule C-22): the client identifier, the
/// credentials, and what was registered.
struct InstanceRecord: Codable, Sendable {
  static let currentVersion = 1

  var version = Self.currentVersion
  var clientID: String
  /// The `token_endpoint_auth_method`.
  var method: String
  var secret: String?
  /// When the secret expires, in seconds since 1970, or `nil` if it doesn't expire.
  var secretExpiresAt: Int64?
  var keyID: String?
  var privateKey: [UInt8]?
  var managementToken: String?
  var managementURI: String?
  /// The `grant_types` in the registration response, or `nil` if the server did not include them.
  var grantTypes: [String]?
  /// The metadata that the app passed when it last registered or updated the registration, without Sallyport's
  /// defaults.
  var requested: ClientMetadata
  /// The host that the app's configuration specified for the default redirect URIs, or `nil` if it specified none.
  var loopbackHost: String?
  /// When the server last confirmed the registration, in seconds since 1970.
  var confirmedAt: Int64

  /// Checks a registration response and keeps what this installation needs.
  /// - Parameters:
  ///   - requested: The metadata that the app passed.
  ///   - sent: The metadata that was sent to the server, with Sallyport's defaults.
  ///   - key: The key of this installation, or `nil` if no key is registered.
  init(
    _ response: RegistrationResponse, requested: ClientMetadata, sent: ClientMetadata, key: ClientAssertionKey?, at now: Timestamp
  ) throws(RegistrationResponseError) {
    self.clientID = response.clientID
    self.requested = requested
    self.method = response.metadata.tokenEndpointAuthMethod ?? sent.tokenEndpointAuthMethod ?? "client_secret_basic"
    self.grantTypes = response.metadata.grantTypes
    self.confirmedAt = now.seconds
    try Self.checkRedirectURIs(response, sent)
    switch self.method {
    case "none": break
    case "client_secret_basic", "client_secret_post":
      guard let secret = response.clientSecret else { throw .secretMissing }
      self.secret = secret.reveal()
      // 0 means that the secret doesn't expire (RFC 7591 §3.2.1).
      self.secretExpiresAt = response.clientSecretExpiresAt.flatMap { $0 == 0 ? nil : $0 }
    case "private_key_jwt":
      guard let key else { throw .methodNotSupported }
      self.keyID = key.id
      self.privateKey = key.storedForm.reveal()
    default: throw .methodNotSupported
    }
    if let uri = response.registrationClientURI, let token = response.registrationAccessToken {
      do {
        self.managementURI = try EndpointURL(uri).value
      } catch {
        throw .managementURI(error)
      }
      self.managementToken = token.reveal()
    }
  }

  /// If the response lists redirect URIs, requires that the list contains at least one requested redirect URI. A server
  /// may leave out other requested URIs.
  private static func checkRedirectURIs(
    _ response: RegistrationResponse, _ sent: ClientMetadata
  ) throws(RegistrationResponseError) {
    guard let registered = response.metadata.redirectURIs, let requested = sent.redirectURIs, !requested.isEmpty
    else { return }
    guard requested.contains(where: registered.contains) else { throw .redirectURIsMissing }
  }

  /// Returns this record, updated from the server's response to a read or an update of the registration. Values that
  /// the response omits stay unchanged (RFC 7592 §3).
  /// - Parameter requested: The metadata that the app passed, which the new record keeps.
  func renewed(by response: RegistrationResponse, requested: ClientMetadata, at now: Timestamp) throws(RegistrationResponseError)
    -> InstanceRecord
  {
    var response = response
    response.clientSecret = response.clientSecret ?? self.secret.map { Secret($0) }
    response.clientSecretExpiresAt = response.clientSecretExpiresAt ?? self.secretExpiresAt
    response.registrationAccessToken = response.registrationAccessToken ?? self.managementToken.map { Secret($0) }
    response.registrationClientURI = response.registrationClientURI ?? self.managementURI
    var sent = requested
    sent.tokenEndpointAuthMethod = self.method
    var record = try InstanceRecord(response, requested: requested, sent: sent, key: self.key, at: now)
    record.grantTypes = record.grantTypes ?? self.grantTypes
    record.loopbackHost = self.loopbackHost
    return record
  }

  /// Whether the secret has expired, or expires within one minute, so that the server might receive it too late.
  func isExpired(at now: Timestamp) -> Bool {
    self.secretExpiresAt.map { $0 <= now.seconds + 60 } ?? false
  }

  var key: ClientAssertionKey? {
    guard let id = self.keyID, let key = self.privateKey else { return nil }
    return ClientAssertionKey(id: id, storedForm: Secret(key))
  }

  var management: RegistrationEndpoint.Management? {
    guard let url = self.managementURI.flatMap({ try? EndpointURL($0) }), let token = self.managementToken else { return nil }
    return RegistrationEndpoint.Management(clientID: self.clientID, url: url, token: Secret(token))
  }

  /// The credentials for requests to the server.
  /// - Throws: ``TokenStoreError/damaged(reason:)`` if a credential is missing.
  func authentication(issuer: Issuer) throws(TokenStoreError) -> ClientAuthentication {
    switch (self.method, self.secret, self.key) {
    case ("none", _, _): return .none
    case ("client_secret_basic", let secret?, _): return .secretBasic(Secret(secret))
    case ("client_secret_post", let secret?, _): return .secretPost(Secret(secret))
    case ("private_key_jwt", _, let key?): return .privateKeyJWT(key, audience: issuer)
    default: throw .damaged(reason: "the stored registration has no credential")
    }
  }

  /// Decodes a stored record.
  /// - Returns: `nil` if the data is not a record of the current version.
  static func decode(_ stored: Secret<[UInt8]>) -> InstanceRecord? {
    guard let record = try? JSONDecoder().decode(InstanceRecord.self, from: Data(stored.reveal())),
      record.version == self.currentVersion
    else { return nil }
    return record
  }

  func encoded() throws(TokenStoreError) -> Secret<[UInt8]> {
    do {
      return Secret(Array(try JSONEncoder().encode(self)))
    } catch {
      throw .failed(reason: "the registration could not be encoded as JSON")
    }
  }
}
