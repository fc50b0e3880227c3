import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// A private key that authenticates a client with a signed JWT for each request, using `ES256` (RFC 7523 §2.2 and §3).
package struct ClientAssertionKey: Sendable {
  /// The `client_assertion_type`.
  static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  private let key: P256.Signing.PrivateKey
  /// The key's `kid`, which identifies the public key to the server.
  package let id: String

  /// Creates a new key.
  package init() {
    self.key = P256.Signing.PrivateKey()
    self.id = RandomText.base64URL(bits: 96)
  }

  /// Restores a key from its ``storedForm``. Returns `nil` if the bytes are not a P-256 private key.
  package init?(id: String, storedForm: Secret<[UInt8]>) {
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: storedForm.reveal()) else { return nil }
    self.key = key
    self.id = id
  }

  /// Reads a key from PEM (RFC 7468). Returns `nil` if the text is not a P-256 private key in PEM.
  package init?(id: String, pem: Secret<String>) {
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem.reveal()) else { return nil }
    self.key = key
    self.id = id
  }

  /// The 32 bytes of the private key.
  package var storedForm: Secret<[UInt8]> { Secret(Array(self.key.rawRepresentation)) }
  /// The public key in the form used for registration.
  package var publicKey: ClientKeySet.Key {
    ClientKeySet.Key(es256: Array(self.key.publicKey.rawRepresentation), id: self.id)
  }

  /// Creates an assertion for one request. Its only audience is the server, so that no other server can use it.
  /// - Parameter audience: The issuer identifier of the server.
  /// - Returns: `nil` if signing fails.
  package func assertion(clientID: String, audience: Issuer, at now: Timestamp) -> Secret<String>? {
    self.sign(Claims(issuer: clientID, subject: clientID, audience: audience, at: now, lifetime: Self.lifetime))
  }

  /// Signs a JWT with these claims.
  /// - Returns: `nil` if signing fails.
  package func sign(_ claims: Claims) -> Secret<String>? {
    guard let header = try? JSONEncoder().encode(Header(kid: self.id)), let payload = try? JSONEncoder().encode(claims) else {
      return nil
    }
    return try? JWSCompact.sign(header: Base64URL.encode(header), payload: Base64URL.encode(payload)) { bytes in
      Array(try self.key.signature(for: bytes).rawRepresentation)
    }
  }

  /// How long an assertion is valid, in seconds.
  private static let lifetime: Int64 = 60

  private struct Header: Encodable {
    var alg = "ES256"
    var typ = "JWT"
    var kid: String
  }

  /// The claims of a JWT that authenticates a client (RFC 7523 §3).
  package struct Claims: Encodable, Sendable {
    private let iss: String
    private let sub: String
    private let aud: String
    private let jti: String
    private let iat: Int64
    private let exp: Int64

    /// - Parameter lifetime: How long the JWT is valid, in seconds.
    package init(issuer: String, subject: String, audience: Issuer, at now: Timestamp, lifetime: Int64) {
      self.iss = issuer
      self.sub = subject
      self.aud = audience.value
      self.jti = RandomText.base64URL(bits: 128)
      self.iat = now.seconds
      self.exp = now.seconds + lifetime
    }
  }
}
