#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// An authorization server that publishes documents and signs valid and invalid tokens.
package struct TestIssuer: Sendable {
  package let issuer: Issuer
  package let es256: TestSigningKey
  package let rs256: TestSigningKey
  /// The metadata that the server publishes. Tests can make it invalid.
  package var metadata: ServerMetadata

  package init(_ issuer: String = "https://id.example") throws {
    self.issuer = try Issuer(issuer)
    self.es256 = .es256(id: "es-1")
    self.rs256 = try .rsa(id: "rs-1")
    var metadata = ServerMetadata(issuer: issuer)
    metadata.authorizationEndpoint = self.issuer.url(appending: "/authorize")
    metadata.tokenEndpoint = self.issuer.url(appending: "/token")
    metadata.jwksURI = self.issuer.url(appending: "/jwks")
    metadata.userinfoEndpoint = self.issuer.url(appending: "/userinfo")
    metadata.revocationEndpoint = self.issuer.url(appending: "/revoke")
    metadata.endSessionEndpoint = self.issuer.url(appending: "/logout")
    metadata.responseTypesSupported = ["code"]
    metadata.codeChallengeMethodsSupported = ["S256"]
    metadata.idTokenSigningAlgValuesSupported = ["ES256", "RS256"]
    metadata.authorizationResponseIssParameterSupported = true
    self.metadata = metadata
  }

  package var jwksURL: String { self.issuer.url(appending: "/jwks") }
  package var configurationURL: String { WellKnown.openIDConfiguration(of: self.issuer) }

  /// Returns a JWK Set with the given keys.
  package static func jwks(_ keys: [TestSigningKey]) -> JSONValue {
    ["keys": .array(keys.map(\.jwk))]
  }

  /// Publishes the metadata and the key set on a transport.
  package func publish(on transport: FakeTransport) {
    transport.on(self.configurationURL, respond: .json(encoding: self.metadata))
    transport.on(self.jwksURL, respond: .json(encoding: Self.jwks([self.es256, self.rs256])))
  }

  /// Returns the claims of a valid ID token that expires in five minutes.
  package func claims(clientID: String, subject: String = "ada", nonce: String? = nil, now: Timestamp) -> JSONValue {
    var claims: JSONValue = [
      "iss": .string(self.issuer.value), "sub": .string(subject), "aud": .string(clientID), "exp": .integer(now.seconds + 300),
      "iat": .integer(now.seconds),
    ]
    claims["nonce"] = nonce.map { .string($0) }
    return claims
  }

  /// Returns a signed token.
  /// - Parameters:
  ///   - key: The signing key, or `nil` for the issuer's ES256 key.
  ///   - header: Members to add to the header, or to replace in it.
  package func token(_ claims: JSONValue, key: TestSigningKey? = nil, header: [String: JSONValue] = [:]) throws -> Secret<String>
  {
    let key = key ?? self.es256
    var members: [String: JSONValue] = ["alg": .string(key.algorithm), "typ": "JWT"]
    members["kid"] = key.id.map { .string($0) }
    let mergedHeader = JSONValue.object(members.merging(header) { _, new in new })
    return try Self.sign(header: JSONEncoder().encode(mergedHeader), payload: JSONEncoder().encode(claims), key: key)
  }

  /// Returns a signed token with any header and payload.
  package static func sign(
    header: some Sequence<UInt8>, payload: some Sequence<UInt8>, key: TestSigningKey
  ) throws -> Secret<String> {
    try JWSCompact.sign(header: Base64URL.encode(header), payload: Base64URL.encode(payload), with: key.sign)
  }
}
