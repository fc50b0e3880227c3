import Foundation
import SallyportProtocol
import SallyportWebAuthn
import Testing

/// The values of `Tests/WebAuthnVectors/vectors.json`.
struct Vectors {
  /// The root certificate in DER.
  let root: [UInt8]
  let credentials: [String: Credential]

  struct Credential {
    let registration: [String: JSONValue]
    let authentication: [String: JSONValue]
  }

  func credential(_ name: String) throws -> Credential {
    try #require(self.credentials[name])
  }

  static func relyingParty() throws(WebAuthnError) -> RelyingParty {
    // The configuration is valid, so this does not throw. `malformedResponse` is an arbitrary error of the required
    // type.
    do { return try RelyingParty(id: "example.org", origins: ["https://example.org"]) } catch { throw .malformedResponse }
  }

  static func load() throws -> Vectors {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../WebAuthnVectors/vectors.json")
    let json = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: file))
    guard case .object(var vectors)? = json["vectors"] else { throw CocoaError(.fileReadCorruptFile) }
    let root = vectors.removeValue(forKey: "attestation-root-cert")
    return Vectors(
      root: bytes(root?["attestation_ca_cert"]),
      credentials: try vectors.mapValues {
        guard case .object(let registration)? = $0["registration"], case .object(let authentication)? = $0["authentication"]
        else { throw CocoaError(.fileReadCorruptFile) }
        return Credential(registration: registration, authentication: authentication)
      })
  }

  /// Decodes hexadecimal text. Returns no bytes for a value that is not text.
  static func bytes(_ value: JSONValue?) -> [UInt8] {
    guard case .string(let text)? = value else { return [] }
    let digits = text.utf8.compactMap { PercentEncoding.hexValue($0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

extension Vectors.Credential {
  var registrationChallenge: [UInt8] { Vectors.bytes(self.registration["challenge"]) }
  var authenticationChallenge: [UInt8] { Vectors.bytes(self.authentication["challenge"]) }
  var aaguid: [UInt8] { Vectors.bytes(self.registration["aaguid"]) }

  var attestationResponse: AttestationResponse {
    AttestationResponse(
      credentialID: Vectors.bytes(self.registration["credential_id"]),
      clientDataJSON: Vectors.bytes(self.registration["clientDataJSON"]),
      attestationObject: Vectors.bytes(self.registration["attestationObject"]))
  }

  var assertionResponse: AssertionResponse {
    AssertionResponse(
      credentialID: Vectors.bytes(self.registration["credential_id"]),
      clientDataJSON: Vectors.bytes(self.authentication["clientDataJSON"]),
      authenticatorData: Vectors.bytes(self.authentication["authenticatorData"]),
      signature: Vectors.bytes(self.authentication["signature"]))
  }

  func publicKey() throws -> CredentialPublicKey {
    let data = try AttestationObject(self.attestationResponse.attestationObject).authenticatorData
    return try CredentialPublicKey(coseKey: try #require(data.attestedCredential).publicKey)
  }
}
