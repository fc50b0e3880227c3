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

  /// Restores a key from its ``storedForm``.
  package init?(id: String, storedForm: Secret<[UInt8]>) {
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: storedForm.reveal()) else { return nil }
    self.key = key
    self.id = id
  }

  package var storedForm: Secret<[UInt8]> { Secret(Array(self.key.rawRepresentation)) }
  /// The public key in the form used for registration.
  package var publicKey: ClientKeySet.Key {
    ClientKeySet.Key(es256: Array(self.key.publicKey.rawRepresentation), id: self.id)
  }

  /// Creates an assertion for one request. Its only audience is the issuer, so that no other server can use it.
  /// - Returns: `nil` if signing fails.
  package func assertion(clientID: String, issuer: Issuer, at now: Timestamp) -> Secret<String>? {
    let claims = Claims(
      iss: clientID, sub: clientID, aud: issuer.value, jti: RandomText.base64URL(bits: 128), iat: now.seconds,
      exp: now.seconds + Self.lifetime)
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

  private struct Claims: Encodable {
    var iss: String
    var sub: String
    var aud: String
    var jti: String
    var iat: Int64
    var exp: Int64
  }
}
