#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The parts of a JWS in compact serialisation, RFC 7515 §3.1, split strictly and not verified yet.
package struct JWSCompact: Sendable {
  package let header: JWSHeader
  /// The decoded header, for those who look at more of it.
  package let headerBytes: [UInt8]
  /// The decoded payload. Nothing in it is true before the signature was checked.
  package let payload: [UInt8]
  package let signature: [UInt8]
  /// What was signed: header and payload as they stand, with the period between them.
  package let signingInput: [UInt8]

  /// - Parameter maximumLength: in characters.
  /// - Throws: ``JWSError``
  package init(_ token: String, maximumLength: Int = 32 << 10) throws(JWSError) {
    guard token.utf8.count <= maximumLength else { throw .tooLong }
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .notThreeParts }
    guard let header = Base64URL.decode(Substring(parts[0])), let payload = Base64URL.decode(Substring(parts[1])),
      let signature = Base64URL.decode(Substring(parts[2]))
    else { throw .notBase64URL }
    guard let fields = try? JSONDecoder().decode(JWSHeader.self, from: Data(header)) else { throw .headerMalformed }
    self.header = fields
    self.headerBytes = header
    self.payload = payload
    self.signature = signature
    self.signingInput = Array(token.utf8[..<parts[1].endIndex])
  }
}

/// The header parameters that are looked at, RFC 7515 §4.1. Keys that a header brings along (`jwk`, `jku`, `x5c`, `x5u`) are not;
/// only a DPoP proof, which is about such a key, reads its `jwk`.
package struct JWSHeader: Decodable, Sendable, Equatable {
  package let algorithm: String
  package let keyID: String?
  package let type: String?
  /// Whether there is a `crit` parameter, whatever is in it: no extension is understood here.
  package let hasCriticalParameters: Bool

  private enum CodingKeys: String, CodingKey {
    case alg, kid, typ, crit
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.algorithm = try container.decode(String.self, forKey: .alg)
    self.keyID = try container.decodeIfPresent(String.self, forKey: .kid)
    self.type = try container.decodeIfPresent(String.self, forKey: .typ)
    self.hasCriticalParameters = container.contains(.crit)
  }

  /// Whether `typ` names this media type, RFC 7515 §4.1.9: without regard to case, `application/` may be left out.
  package func isType(_ name: String) -> Bool {
    guard let type = self.type?.lowercased() else { return false }
    return type == name.lowercased() || type == "application/\(name.lowercased())"
  }
}

/// Why a text is not a JWS in compact serialisation.
public enum JWSError: Error, Equatable, Sendable {
  case tooLong
  case notThreeParts
  /// A part is not unpadded, canonical base64url.
  case notBase64URL
  /// The header is not a JSON object with an `alg`.
  case headerMalformed
}
