import Foundation
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Texts that are not valid access tokens: other tokens, and modified or forged access tokens.
enum HostileToken: CaseIterable {
  case idToken, refreshToken, notAToken, empty
  case algNone, algNoneWithSignature, hmacWithPublicKey, hmacNamedES256, otherKeySameID, unknownKeyID, noKeyID
  case rsaKeyNamedES256, typeJWT, typeMissing, typeOther, critical, embeddedKey
  case otherIssuer, otherAudience, noAudience, expired, noExpiry, unknownGrant, noGrant
  case payloadChanged, signatureCut, signatureDER, signatureEmpty, fourParts, padded

  static let header: JSONValue = ["alg": "ES256", "typ": "at+jwt"]

  /// Returns those claims of a valid token that are integers or strings, for tests to change.
  static func claims(of token: String) throws -> JSONValue {
    let claims = try decodedClaims(of: token)
    return .object(
      claims.compactMapValues { value in
        (value as? Int64).map { .integer($0) } ?? (value as? String).map { .string($0) }
      })
  }

  /// Signs with the server's own key, which an attacker does not have. A token with a changed header or claim is then
  /// invalid only because of that change.
  static func sign(
    header: JSONValue, claims: JSONValue, id: String? = nil, algorithm: SigningKey.Algorithm = .es256
  ) throws -> String {
    let key = try TestKeys.key(algorithm)
    var header = header
    if header["kid"] == nil { header["kid"] = .string(id ?? key.id) }
    let input = try self.input(header, claims)
    return "\(input).\(Base64URL.encode(try key.signature(for: Array(input.utf8))))"
  }

  private static func input(_ header: JSONValue, _ claims: JSONValue) throws -> String {
    let encoder = JSONEncoder()
    return "\(Base64URL.encode(try encoder.encode(header))).\(Base64URL.encode(try encoder.encode(claims)))"
  }

  /// Returns the token of this case, made from valid tokens.
  func make(from good: Tokens, of fixture: TestServer) throws -> String {
    let (ownKeyID, claims) = (try TestKeys.key(.es256).id, try Self.claims(of: good.access))
    let parts = good.access.split(separator: ".").map { String($0) }
    func with(_ name: String, _ value: JSONValue?) -> JSONValue {
      var copy = claims
      copy[name] = value
      return copy
    }
    func header(_ name: String, _ value: JSONValue?) -> JSONValue {
      var copy = Self.header
      copy[name] = value
      return copy
    }
    // Returns a token with the valid claims and a header that names this algorithm and key ID, but signed with `key`.
    func forged(_ key: TestSigningKey, algorithm: String, id: String) throws -> String {
      let input = try Self.input(["alg": .string(algorithm), "typ": "at+jwt", "kid": .string(id)], claims)
      return "\(input).\(Base64URL.encode(try key.sign(Array(input.utf8))))"
    }
    switch self {
    case .idToken: return good.id
    case .refreshToken: return good.refresh
    case .notAToken: return "x.y.z"
    case .empty: return ".."
    case .algNone: return try forged(.none(id: ownKeyID), algorithm: "none", id: ownKeyID)
    case .algNoneWithSignature: return try Self.sign(header: header("alg", "none"), claims: claims)
    case .hmacWithPublicKey, .hmacNamedES256:
      let jwk = try WireJSON.encode(try TestKeys.key(.es256).publicJWK())
      return try forged(
        .hmac(secret: jwk, id: ownKeyID), algorithm: self == .hmacWithPublicKey ? "HS256" : "ES256", id: ownKeyID)
    case .otherKeySameID: return try forged(.es256(id: ownKeyID), algorithm: "ES256", id: ownKeyID)
    case .unknownKeyID: return try Self.sign(header: header("kid", "other"), claims: claims)
    case .noKeyID:
      // `sign` would add a `kid`.
      let input = try Self.input(Self.header, claims)
      return "\(input).\(Base64URL.encode(try TestKeys.key(.es256).signature(for: Array(input.utf8))))"
    case .rsaKeyNamedES256: return try Self.sign(header: Self.header, claims: claims, algorithm: .rs256)
    case .typeJWT: return try Self.sign(header: header("typ", "JWT"), claims: claims)
    case .typeMissing: return try Self.sign(header: header("typ", nil), claims: claims)
    case .typeOther: return try Self.sign(header: header("typ", "at+jws"), claims: claims)
    case .critical: return try Self.sign(header: header("crit", ["exp"]), claims: claims)
    case .embeddedKey:
      let key = TestSigningKey.es256(id: "attacker")
      let input = try Self.input(["alg": "ES256", "typ": "at+jwt", "kid": "attacker", "jwk": key.jwk], claims)
      return "\(input).\(Base64URL.encode(try key.sign(Array(input.utf8))))"
    case .otherIssuer: return try Self.sign(header: Self.header, claims: with("iss", "https://evil.example"))
    case .otherAudience: return try Self.sign(header: Self.header, claims: with("aud", "loopback"))
    case .noAudience: return try Self.sign(header: Self.header, claims: with("aud", .array([])))
    case .expired: return try Self.sign(header: Self.header, claims: with("exp", .integer(fixture.clock.now.seconds)))
    case .noExpiry: return try Self.sign(header: Self.header, claims: with("exp", nil))
    case .unknownGrant: return try Self.sign(header: Self.header, claims: with("grant_id", "x"))
    case .noGrant: return try Self.sign(header: Self.header, claims: with("grant_id", nil))
    case .payloadChanged:
      let changed = Base64URL.encode(try JSONEncoder().encode(with("sub", "acct-bob")))
      return "\(parts[0]).\(changed).\(parts[2])"
    case .signatureCut: return String(good.access.dropLast(4))
    // A signature in DER. ES256 requires the plain numbers R and S instead (RFC 7518 §3.4).
    case .signatureDER: return "\(parts[0]).\(parts[1]).\(Base64URL.encode([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]))"
    case .signatureEmpty: return "\(parts[0]).\(parts[1])."
    case .fourParts: return good.access + ".x"
    case .padded: return good.access + "="
    }
  }
}
