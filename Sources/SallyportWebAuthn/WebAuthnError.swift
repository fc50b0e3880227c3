/// Why a registration or an authentication was rejected. No case contains a part of the response.
///
/// The section numbers refer to WebAuthn Level 3.
package enum WebAuthnError: String, Error, Hashable, Sendable, CaseIterable {
  // The message of the browser.

  /// The response is not valid JSON, a required member is missing or has the wrong type, or a value is not base64url
  /// without padding (§5.1).
  case malformedResponse
  /// A value is longer than ``WebAuthnLimits`` allows, or there are too many transports or certificates.
  case valueTooLong
  /// `type` is not `public-key` (§5.8.2).
  case unsupportedCredentialType
  /// `id` and `rawId` are not identical, or differ from the credential ID in the authenticator data of a registration
  /// or from the ID of the stored credential (§5.1.1).
  case credentialIDMismatch

  // The client data.

  /// The client data is not valid JSON in UTF-8, or a member is missing or has the wrong type (§5.8.1).
  case malformedClientData
  /// The client data is for another ceremony: `webauthn.get` instead of `webauthn.create`, or the reverse (§7.1 step 7,
  /// §7.2 step 10).
  case ceremonyMismatch
  /// The challenge differs from the challenge that was sent (§7.1 step 8, §7.2 step 11).
  case challengeMismatch
  /// The origin is not one of the relying party's (§7.1 step 9, §7.2 step 12).
  case originMismatch
  /// The page is in a frame on a page with another origin (§7.1 steps 10 and 11, §7.2 steps 13 and 14).
  case crossOrigin

  // The authenticator data.

  /// The authenticator data is truncated, contains invalid CBOR, or has trailing bytes (§6.1).
  case malformedAuthenticatorData
  /// The credential is for another relying party ID (§7.1 step 14, §7.2 step 15).
  case relyingPartyMismatch
  /// The authenticator did not test the user's presence (§7.1 step 15, §7.2 step 16).
  case userNotPresent
  /// The authenticator did not verify the user, but the relying party requires it (§7.1 step 16, §7.2 step 17).
  case userNotVerified
  /// The credential is backed up but is not eligible for backup (§7.1 step 17, §7.2 step 18).
  case backupStateWithoutEligibility
  /// The credential became eligible for backup after its registration, or stopped being eligible (§7.2 step 19).
  case backupEligibilityChanged
  /// A registration's authenticator data contains no credential, or an authentication's authenticator data contains one
  /// (§6.1).
  case attestedCredentialDataMismatch
  /// The credential ID is empty or longer than 1,023 bytes (§7.1 step 25).
  case invalidCredentialID

  // The public key.

  /// The public key is not a COSE_Key with the parameters of its key type and no others (§6.5.1.1), or its numbers are
  /// invalid.
  case malformedPublicKey
  /// The algorithm is not one of ``COSEAlgorithm``. The options of a registration offer all of these
  /// algorithms (§7.1 step 20).
  case unsupportedAlgorithm
  /// The key type or the curve does not belong to the algorithm (§5.8.5).
  case keyTypeMismatch
  /// The point is not on the curve of the key, or its order is small.
  case pointNotOnCurve
  /// The length of the RSA modulus is not accepted.
  case unsupportedKeySize

  // The attestation.

  /// The attestation object is not CBOR in the canonical form, or is not a map with exactly `fmt`, `attStmt`, and
  /// `authData` (§6.5.4).
  case malformedAttestationObject
  /// The attestation statement does not have the syntax of its format (§8.2, §8.7).
  case malformedAttestationStatement
  /// The relying party requires a `packed` attestation with certificates.
  case attestationRequired
  /// The authenticator's model is not one that the relying party allows.
  case authenticatorNotAllowed
  /// The algorithm of the attestation does not match the key of the credential or certificate (§8.2).
  case attestationAlgorithmMismatch
  /// The signature of the attestation is invalid (§8.2).
  case invalidAttestationSignature
  /// The attestation certificate is malformed, does not meet the requirements of §8.2.1, or has a key of an unsupported
  /// type.
  case invalidAttestationCertificate
  /// The attestation certificate has no valid chain to a root certificate of the relying party (§7.1 step 24).
  case untrustedAttestationCertificate
  /// The attestation certificate does not name the authenticator's model, or names another one (§8.2).
  case attestationModelMismatch

  // The assertion.

  /// The user handle is missing, or is not the one of the user to whom the credential belongs (§7.2 step 6).
  case userHandleMismatch
  /// The signature of the assertion is invalid (§7.2 step 21).
  case invalidSignature
}
