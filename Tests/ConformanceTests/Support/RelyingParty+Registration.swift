import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

extension RelyingParty {
  static let callback = "https://rp.example/cb"

  /// Returns the client ``TestClient/web``, which an operator has registered. The conformance suite calls such a client
  /// static.
  static func configured(on site: Site) -> RelyingParty {
    RelyingParty(
      site: site, id: TestClient.web.rawValue, authentication: .post(TestClient.secret),
      redirectURI: TestClient.web.requestedURI, algorithm: "ES256")
  }

  /// Returns the metadata for a registration. A member of `changes` replaces the member with this name, or removes it
  /// if it is null.
  static func metadata(_ changes: [String: JSONValue] = [:]) -> JSONValue {
    let metadata: [String: JSONValue] = [
      "client_name": "Relying party", "redirect_uris": [.string(Self.callback)],
      "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
    ]
    return .object(metadata.merging(changes) { $1 }.filter { $0.value != .null })
  }

  /// Registers a client.
  /// - Parameters:
  ///   - changes: Changes to the metadata, as in ``metadata(_:)``.
  ///   - key: A key to register. The client authenticates with this key unless `changes` names another method.
  static func registered(
    on site: Site, _ changes: [String: JSONValue] = [:], key: TestSigningKey? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> RelyingParty {
    var changes = changes
    if let key {
      changes["token_endpoint_auth_method"] = changes["token_endpoint_auth_method"] ?? "private_key_jwt"
      if changes["jwks_uri"] == nil { changes["jwks"] = ["keys": [key.jwk]] }
    }
    let reply = try await site.register(Self.metadata(changes))
    #expect(reply.status == .created, "\(reply.body)", sourceLocation: sourceLocation)
    let registration = try reply.registration
    let secret = registration.clientSecret?.reveal()
    let authentication: Authentication =
      switch registration.metadata.tokenEndpointAuthMethod {
      case "none": .none
      case "client_secret_post": .post(try #require(secret))
      case "private_key_jwt": .key(try #require(key))
      default: .basic(try #require(secret))
      }
    return RelyingParty(
      site: site, id: registration.clientID, authentication: authentication,
      redirectURI: registration.metadata.redirectURIs?.first ?? Self.callback,
      algorithm: registration.metadata.idTokenSignedResponseAlg ?? "")
  }

  /// Adds a copy of the client, as if an operator had registered it, and returns the copy. Error responses are then
  /// sent to its redirect URIs (S-31).
  func operatorRegistered() async throws -> RelyingParty {
    var record = try #require(try await self.site.client(self.id))
    record.id = ClientID(rawValue: "operator-registered")
    record.origin = .operator
    record.registrationToken = nil
    try await self.site.add(record)
    return RelyingParty(
      site: self.site, id: record.id.rawValue, authentication: self.authentication, redirectURI: self.redirectURI,
      algorithm: self.algorithm)
  }
}
