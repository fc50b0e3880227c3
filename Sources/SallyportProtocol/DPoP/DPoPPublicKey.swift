import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The public key of a DPoP proof, to which a token is bound (RFC 9449 §4.2).
public struct DPoPPublicKey: Hashable, Sendable {
  /// The algorithm of the signatures that the key verifies.
  public let algorithm: DPoPAlgorithm
  /// The coordinates of the point: `x` and `y`, or only `x` for Ed25519.
  private let point: [UInt8]

  /// Creates a P-256 key for `ES256`.
  /// - Parameter es256: The two coordinates, 64 bytes.
  /// - Throws: `DPoPProofError/keyMalformed` if they are not a point on the curve.
  public init(es256 point: [UInt8]) throws(DPoPProofError) {
    try self.init(.es256, point: point)
  }

  private init(_ algorithm: DPoPAlgorithm, point: [UInt8]) throws(DPoPProofError) {
    self.algorithm = algorithm
    self.point = point
    do {
      switch algorithm {
      case .es256: _ = try P256.Signing.PublicKey(rawRepresentation: point)
      case .es384: _ = try P384.Signing.PublicKey(rawRepresentation: point)
      case .edDSA: _ = try Curve25519.Signing.PublicKey(rawRepresentation: point)
      }
    } catch {
      throw .keyMalformed
    }
  }

  /// Creates a key from the `jwk` in a proof's header.
  init(_ jwk: DPoPKeyJSON, for algorithm: DPoPAlgorithm) throws(DPoPProofError) {
    guard !jwk.hasPrivateMember else { throw .privateKey }
    let curve = algorithm.curve
    guard jwk.keyType == curve.keyType, jwk.curve == curve.name, (jwk.algorithm ?? algorithm.rawValue) == algorithm.rawValue,
      (jwk.use ?? "sig") == "sig"
    else { throw .keyUnsuitable }
    var point: [UInt8] = []
    // The longest valid coordinate has 64 characters. The limit keeps long text from being decoded.
    for coordinate in curve.keyType == "EC" ? [jwk.x, jwk.y] : [jwk.x] {
      guard let coordinate, coordinate.utf8.count < 100, let bytes = Base64URL.decode(coordinate), bytes.count == curve.length
      else { throw .keyMalformed }
      point += bytes
    }
    try self.init(algorithm, point: point)
  }

  /// The SHA-256 thumbprint (RFC 7638 §3): the `jkt` of RFC 9449 §6.1, and the `dpop_jkt` of §10.
  public var thumbprint: String {
    Base64URL.encode(SHA256.hash(data: Array(self.canonicalJSON.utf8)))
  }

  /// The required members in the form of RFC 7638 §3.2. None of the values needs escaping.
  var canonicalJSON: String {
    let curve = self.algorithm.curve
    let x = Base64URL.encode(self.point.prefix(curve.length))
    guard curve.keyType == "EC" else { return #"{"crv":"\#(curve.name)","kty":"OKP","x":"\#(x)"}"# }
    let y = Base64URL.encode(self.point.suffix(curve.length))
    return #"{"crv":"\#(curve.name)","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
  }

  /// Whether the signature is valid for these bytes. A signature must have the format of RFC 7518 §3.4 or
  /// RFC 8037 §3.1.
  func isValid(signature: [UInt8], of bytes: [UInt8]) -> Bool {
    do {
      switch self.algorithm {
      case .es256:
        let key = try P256.Signing.PublicKey(rawRepresentation: self.point)
        return key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: bytes)
      case .es384:
        let key = try P384.Signing.PublicKey(rawRepresentation: self.point)
        return key.isValidSignature(try P384.Signing.ECDSASignature(rawRepresentation: signature), for: bytes)
      case .edDSA:
        return try Curve25519.Signing.PublicKey(rawRepresentation: self.point).isValidSignature(signature, for: bytes)
      }
    } catch {
      // The signature has the wrong length.
      return false
    }
  }
}

/// The members of a proof's `jwk` that are used (RFC 7518 §6).
struct DPoPKeyJSON: Decodable {
  let keyType: String
  let curve: String?
  let x: String?
  let y: String?
  let algorithm: String?
  let use: String?
  let hasPrivateMember: Bool

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case kty, crv, x, y, alg, use
    case d, p, q, dp, dq, qi, oth, k
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.keyType = try container.decode(String.self, forKey: .kty)
    self.curve = try container.decodeIfPresent(String.self, forKey: .crv)
    self.x = try container.decodeIfPresent(String.self, forKey: .x)
    self.y = try container.decodeIfPresent(String.self, forKey: .y)
    self.algorithm = try container.decodeIfPresent(String.self, forKey: .alg)
    self.use = try container.decodeIfPresent(String.self, forKey: .use)
    let privateMembers: [CodingKeys] = [.d, .p, .q, .dp, .dq, .qi, .oth, .k]
    self.hasPrivateMember = privateMembers.contains { container.contains($0) }
  }
}
