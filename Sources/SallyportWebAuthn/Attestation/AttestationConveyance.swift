/// The attestation that a relying party requests (WebAuthn L3 §5.4.7).
package enum AttestationConveyance: String, Codable, Hashable, Sendable {
  case none
  case indirect
  case direct
  case enterprise
}
