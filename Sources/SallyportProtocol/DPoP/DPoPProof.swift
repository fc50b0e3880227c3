import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import HTTPTypes

/// A DPoP proof (RFC 9449 §4.2): a JWT that contains a public key, and proves that the sender of one request has the
/// private key.
public enum DPoPProof {
  /// The `typ` of the JWT.
  public static let type = "dpop+jwt"

  /// Creates the proof for one request.
  /// - Parameters:
  ///   - target: The method and URL of the request.
  ///   - accessToken: The access token in the request, for example in a request to an API (§7). `nil` if the request
  ///     contains none, for example for a token request.
  ///   - nonce: The last nonce that the server sent (§8 and §9).
  /// - Returns: The value of the `DPoP` field.
  /// - Throws: ``DPoPKeyError``
  public static func make(
    for target: DPoPTarget, accessToken: Secret<String>? = nil, nonce: String? = nil, at now: Timestamp, by key: any DPoPKey
  ) throws(DPoPKeyError) -> Secret<String> {
    let header = #"{"alg":"ES256","jwk":\#(key.publicKey.canonicalJSON),"typ":"\#(self.type)"}"#
    let claims = DPoPClaims(
      identifier: RandomText.base64URL(bits: 128), method: target.method, url: target.url, issuedAt: Double(now.seconds),
      accessTokenHash: accessToken.map(self.hash), nonce: nonce)
    guard let payload = try? JSONEncoder().encode(claims) else { throw .unavailable(reason: "the proof could not be encoded") }
    return try JWSCompact.sign(header: Base64URL.encode(header.utf8), payload: Base64URL.encode(payload)) {
      (bytes) throws(DPoPKeyError) in try key.signature(of: bytes)
    }
  }

  /// Returns the `ath` claim (§4.2).
  static func hash(_ accessToken: Secret<String>) -> String {
    Base64URL.encode(SHA256.hash(data: Array(accessToken.reveal().utf8)))
  }

  /// Returns the proof of a request, or `nil` if there is none.
  /// - Throws: ``DPoPProofError/repeated`` if there is more than one (§4.3, rule 1).
  public static func proof(in fields: HTTPFields) throws(DPoPProofError) -> String? {
    let proofs = fields[values: .dpop]
    guard proofs.count <= 1 else { throw .repeated }
    return proofs.first
  }
}

/// The claims of a proof (RFC 9449 §4.2).
struct DPoPClaims: Codable {
  var identifier: String
  var method: String
  var url: String
  /// Seconds since 1970. Other clients may send a fraction (RFC 7519 §2).
  var issuedAt: Double
  var accessTokenHash: String?
  var nonce: String?

  private enum CodingKeys: String, CodingKey {
    case identifier = "jti"
    case method = "htm"
    case url = "htu"
    case issuedAt = "iat"
    case accessTokenHash = "ath"
    case nonce
  }
}

extension HTTPField.Name {
  /// `DPoP`, the field with the proof (RFC 9449 §4.1).
  package static let dpop = Self.known("DPoP")
  /// `DPoP-Nonce`, the field with the nonce for the next proof (RFC 9449 §8).
  package static let dpopNonce = Self.known("DPoP-Nonce")

  /// Returns a name that is known to be valid.
  private static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is not a valid field name") }
    return name
  }
}

/// The `cnf` of a token or an introspection response. It names the key that the token is bound to (RFC 9449 §6).
public struct TokenConfirmation: Codable, Hashable, Sendable {
  /// The ``DPoPPublicKey/thumbprint`` of the key.
  public var keyThumbprint: String

  /// Creates a confirmation for a key.
  /// - Parameter keyThumbprint: The ``DPoPPublicKey/thumbprint`` of the key.
  public init(keyThumbprint: String) {
    self.keyThumbprint = keyThumbprint
  }

  private enum CodingKeys: String, CodingKey {
    case keyThumbprint = "jkt"
  }
}
