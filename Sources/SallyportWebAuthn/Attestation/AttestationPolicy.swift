import SallyportProtocol

/// Which attestation a relying party requires of a new credential.
package enum AttestationPolicy: Sendable {
  /// Accepts every authenticator.
  ///
  /// Statements with the format `none`, and self attestations in the format `packed`, must be correct, because browsers
  /// pass them on when no attestation is requested (WebAuthn L3 §5.1.3). Other statements are ignored: WebAuthn L3 §7.1
  /// allows a relying party that does not trust an attestation to treat the credential like one with self attestation.
  case none
  /// Accepts only authenticators of certain models, which prove their model with a certificate.
  case required(TrustedAuthenticators)

  /// The attestation that the browser is asked for (WebAuthn L3 §5.4.7).
  package var conveyance: AttestationConveyance {
    switch self {
    case .none: .none
    case .required: .direct
    }
  }

  /// Verifies the attestation statement of a new credential (WebAuthn L3 §7.1 steps 21 to 24).
  func verify(
    _ object: AttestationObject, _ credential: AttestedCredentialData, key: CredentialPublicKey, clientDataHash: [UInt8],
    at now: Timestamp
  ) async throws(WebAuthnError) -> AttestationResult {
    let signed = object.authenticatorData.bytes + clientDataHash
    switch self {
    case .none:
      if object.format == "none" {
        guard object.statement.mapValue?.count == 0 else { throw .malformedAttestationStatement }
      } else if object.format == "packed", object.statement.mapValue?["x5c"] == nil {
        try PackedAttestation(object.statement).verify(selfAttestationOf: signed, by: key)
      }
      return .none
    case .required(let trusted):
      guard object.format == "packed" else { throw .attestationRequired }
      let statement = try PackedAttestation(object.statement)
      guard !statement.certificates.isEmpty else { throw .attestationRequired }
      guard trusted.aaguids.contains(credential.aaguid) else { throw .authenticatorNotAllowed }
      try await statement.verify(signed, of: credential.aaguid, roots: trusted.roots, at: now)
      return .verified(credential.aaguid)
    }
  }
}
