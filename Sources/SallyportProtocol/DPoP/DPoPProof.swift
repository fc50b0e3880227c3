import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import HTTPTypes

/// A DPoP proof, RFC 9449 §4.2: the JWT that says "whoever sends this request has the key", for one request.
public enum DPoPProof {
  /// `typ` of the JWT.
  public static let type = "dpop+jwt"

  /// Makes the proof for one request.
  /// - Parameters:
  ///   - target: the request's method and URL.
  ///   - accessToken: the token that goes with the request to an API; nil at the authorization server (§7).
  ///   - nonce: what the receiving server last asked for (§8 and §9).
  /// - Returns: the value of the `DPoP` field.
  /// - Throws: ``DPoPKeyError``
  public static func make(
    for target: DPoPTarget, accessToken: Secret<String>? = nil, nonce: String? = nil, at now: Timestamp, by key: any DPoPKey
  ) throws(DPoPKeyError) -> Secret<String> {
    let header = #"{"alg":"ES256","jwk":\#(key.publicKey.canonicalJSON),"typ":"\#(self.type)"}"#
    let claims = DPoPClaims(
      identifier: RandomText.base64URL(bits: 128), method: target.method, url: target.url, issuedAt: Double(now.seconds),
      accessTokenHash: accessToken.map(self.hash), nonce: nonce)
    guard let payload = try? JSONEncoder().encode(claims) else { throw .unavailable(reason: "the proof could not be encoded") }
    let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload))"
    return Secret("\(input).\(Base64URL.encode(try key.signature(of: Array(input.utf8))))")
  }

  /// `ath`, §4.2.
  static func hash(_ accessToken: Secret<String>) -> String {
    Base64URL.encode(SHA256.hash(data: Array(accessToken.reveal().utf8)))
  }

  /// The one proof of a request; nil where it has none.
  /// - Throws: ``DPoPProofError/repeated`` for more than one (§4.3 number 1).
  public static func proof(in fields: HTTPFields) throws(DPoPProofError) -> String? {
    let proofs = fields[values: .dpop]
    guard proofs.count <= 1 else { throw .repeated }
    return proofs.first
  }
}

/// The claims of a proof, RFC 9449 §4.2.
struct DPoPClaims: Codable {
  var identifier: String
  var method: String
  var url: String
  /// Seconds since 1970.
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
  /// `DPoP`: the proof, RFC 9449 §4.1.
  package static let dpop = Self.known("DPoP")
  /// `DPoP-Nonce`: what the next proof must repeat, RFC 9449 §8.
  package static let dpopNonce = Self.known("DPoP-Nonce")

  /// A name that is written down above, and so known to be one.
  private static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return name
  }
}

/// `cnf` of a token or of an introspection answer, RFC 9449 §6: the key that the token is bound to.
public struct TokenConfirmation: Codable, Hashable, Sendable {
  /// ``DPoPPublicKey/thumbprint``
  public var keyThumbprint: String

  public init(keyThumbprint: String) {
    self.keyThumbprint = keyThumbprint
  }

  private enum CodingKeys: String, CodingKey {
    case keyThumbprint = "jkt"
  }
}
