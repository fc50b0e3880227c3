/// The options of a registration, in the JSON format that `PublicKeyCredential.parseCreationOptionsFromJSON()` parses
/// (WebAuthn L3 §5.1.9).
package struct PublicKeyCredentialCreationOptionsJSON: Codable, Hashable, Sendable {
  /// The relying party (§5.4.2).
  package struct RelyingPartyEntity: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
  }

  /// The account of the credential (§5.4.3).
  package struct UserEntity: Codable, Hashable, Sendable {
    /// The user handle: 1 to 64 random bytes, the same ones for all credentials of the account.
    package var id: Base64URLBytes
    /// The name that tells the accounts of a user apart, such as a user name.
    package var name: String
    package var displayName: String

    package init(id: [UInt8], name: String, displayName: String) {
      self.id = Base64URLBytes(id)
      self.name = name
      self.displayName = displayName
    }
  }

  /// An accepted algorithm (§5.3).
  package struct Parameters: Codable, Hashable, Sendable {
    package var type = "public-key"
    package var alg: COSEAlgorithm

    package init(_ algorithm: COSEAlgorithm) {
      self.alg = algorithm
    }
  }

  /// Which authenticators can be used (§5.4.4).
  package struct AuthenticatorSelection: Codable, Hashable, Sendable {
    package var residentKey = "required"
    /// Used only by browsers that implement WebAuthn Level 1, but no later version.
    package var requireResidentKey = true
    package var userVerification: UserVerificationRequirement
  }

  package var rp: RelyingPartyEntity
  package var user: UserEntity
  package var challenge: Base64URLBytes
  package var pubKeyCredParams: [Parameters]
  /// How long the browser waits, in milliseconds.
  package var timeout: Int
  /// The credentials that the account already has.
  package var excludeCredentials: [PublicKeyCredentialDescriptorJSON]
  package var authenticatorSelection: AuthenticatorSelection
  package var attestation: AttestationConveyance
}
