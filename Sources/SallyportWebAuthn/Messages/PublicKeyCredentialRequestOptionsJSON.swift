/// The options of an authentication, in the JSON format that `PublicKeyCredential.parseRequestOptionsFromJSON()` parses
/// (WebAuthn L3 §5.1.10).
package struct PublicKeyCredentialRequestOptionsJSON: Codable, Hashable, Sendable {
  package var challenge: Base64URLBytes
  /// How long the browser waits, in milliseconds.
  package var timeout: Int
  package var rpId: String
  /// The credentials that can be used. If empty, the user chooses a discoverable credential.
  package var allowCredentials: [PublicKeyCredentialDescriptorJSON]
  package var userVerification: UserVerificationRequirement
}
