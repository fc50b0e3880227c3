#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The parts of a JWS in compact serialization (RFC 7515 §3.1), strictly parsed but not verified.
package struct JWSCompact: Sendable {
  package let header: JWSHeader
  /// The decoded header, for code that reads further parameters.
  package let headerBytes: [UInt8]
  /// The decoded payload. Do not trust it before the signature is verified.
  package let payload: [UInt8]
  package let signature: [UInt8]
  /// The signed bytes: the encoded header and payload, joined by a period.
  package let signingInput: [UInt8]

  /// - Parameter maximumLength: The maximum length in bytes.
  /// - Throws: ``JWSError``
  package init(_ token: String, maximumLength: Int = 32 << 10) throws(JWSError) {
    guard token.utf8.count <= maximumLength else { throw .tooLong }
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .notThreeParts }
    guard let header = Base64URL.decode(Substring(parts[0])), let payload = Base64URL.decode(Substring(parts[1])) else {
      throw .notBase64URL
    }
    guard let signature = Base64URL.decode(Substring(parts[2])) else { throw .signatureNotBase64URL }
    guard let fields = try? JSONDecoder().decode(JWSHeader.self, from: Data(header)) else { throw .headerMalformed }
    self.header = fields
    self.headerBytes = header
    self.payload = payload
    self.signature = signature
    self.signingInput = Array(token.utf8[..<parts[1].endIndex])
  }
}

/// The header parameters that Sallyport uses (RFC 7515 §4.1). Keys in the header (`jwk`, `jku`, `x5c`, `x5u`) are
/// ignored. The exception is a DPoP proof, whose verification reads `jwk`.
package struct JWSHeader: Decodable, Sendable, Equatable {
  package let algorithm: String
  package let keyID: String?
  package let type: String?
  /// Whether there is a `crit` parameter. No extensions are supported, so its value does not matter.
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

  /// Whether `typ` is the given media type. Case does not matter, and `application/` can be omitted (RFC 7515 §4.1.9).
  package func isType(_ name: String) -> Bool {
    guard let type = self.type?.lowercased() else { return false }
    return type == name.lowercased() || type == "application/\(name.lowercased())"
  }
}

/// Why a text is not a JWS in compact serialization.
public enum JWSError: Error, Equatable, Sendable {
  case tooLong
  case notThreeParts
  /// The header or the payload is not canonical base64url without padding.
  case notBase64URL
  /// The signature is not canonical base64url without padding, so it cannot be valid for any key.
  case signatureNotBase64URL
  /// The header is not a JSON object with an `alg` string.
  case headerMalformed
}
