#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
package import SallyportWebAuthn

extension AttestationResponse {
  /// The JSON that a page sends to the server (WebAuthn L3 §5.1.8).
  package func json() throws -> [UInt8] {
    let id = JSONValue.string(Base64URL.encode(self.credentialID))
    let response: JSONValue = [
      "clientDataJSON": .string(Base64URL.encode(self.clientDataJSON)),
      "attestationObject": .string(Base64URL.encode(self.attestationObject)),
      "transports": .array(self.transports.map { .string($0) }),
      // These members repeat parts of the attestation object. The first two are invalid here, so that tests fail if the
      // server uses them.
      "authenticatorData": "AAAA", "publicKey": "AAAA", "publicKeyAlgorithm": -7,
    ]
    return Array(
      try JSONEncoder().encode(
        [
          "id": id, "rawId": id, "type": "public-key", "response": response, "authenticatorAttachment": "platform",
          "clientExtensionResults": [:],
        ] as JSONValue))
  }
}

extension AssertionResponse {
  /// The JSON that a page sends to the server (WebAuthn L3 §5.1.8).
  package func json() throws -> [UInt8] {
    let id = JSONValue.string(Base64URL.encode(self.credentialID))
    let response: JSONValue = [
      "clientDataJSON": .string(Base64URL.encode(self.clientDataJSON)),
      "authenticatorData": .string(Base64URL.encode(self.authenticatorData)),
      "signature": .string(Base64URL.encode(self.signature)),
      "userHandle": self.userHandle.map { .string(Base64URL.encode($0)) } ?? .null,
    ]
    return Array(
      try JSONEncoder().encode(
        [
          "id": id, "rawId": id, "type": "public-key", "response": response, "authenticatorAttachment": "platform",
          "clientExtensionResults": [:],
        ] as JSONValue))
  }
}
