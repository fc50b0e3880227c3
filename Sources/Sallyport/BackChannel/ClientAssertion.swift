import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// Proves that a client has its private key, RFC 7523 §2.2 and §3: a JWT for one request, signed with `ES256`.
package struct ClientAssertionKey: Sendable {
  /// `client_assertion_type`
  static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  private let key: P256.Signing.PrivateKey
  /// `kid`, by which the server finds the public key.
  package let id: String

  /// A new key.
  package init() {
    self.key = P256.Signing.PrivateKey()
    self.id = RandomText.base64URL(bits: 96)
  }

  /// The key that ``storedForm`` was of.
  package init?(id: String, storedForm: Secret<[UInt8]>) {
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: storedForm.reveal()) else { return nil }
    self.key = key
    self.id = id
  }

  package var storedForm: Secret<[UInt8]> { Secret(Array(self.key.rawRepresentation)) }
  /// As it is registered.
  package var publicKey: ClientKeySet.Key {
    ClientKeySet.Key(es256: Array(self.key.publicKey.rawRepresentation), id: self.id)
  }

  /// An assertion for one request. Its audience is the issuer alone, so that no other server can use it.
  /// - Returns: nil where the key does not sign.
  package func assertion(clientID: String, issuer: Issuer, at now: Timestamp) -> Secret<String>? {
    let claims = Claims(
      iss: clientID, sub: clientID, aud: issuer.value, jti: RandomText.base64URL(bits: 128), iat: now.seconds,
      exp: now.seconds + Self.lifetime)
    guard let header = try? JSONEncoder().encode(Header(kid: self.id)), let payload = try? JSONEncoder().encode(claims) else {
      return nil
    }
    let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
    guard let signature = try? self.key.signature(for: Array(input.utf8)) else { return nil }
    return Secret("\(input).\(Base64URL.encode(signature.rawRepresentation))")
  }

  /// In seconds.
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
