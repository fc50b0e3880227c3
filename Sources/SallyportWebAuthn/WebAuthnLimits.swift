/// The largest accepted sizes of untrusted values, in bytes unless a comment says otherwise.
package enum WebAuthnLimits {
  /// The JSON of a response. It contains the values below in base64url, and the authenticator data and public key
  /// twice.
  package static let response = 131_072
  /// The client data, which contains a challenge, an origin, and members that future browsers may add.
  package static let clientData = 4096
  /// The attestation object. A statement with a chain of 4 certificates has about 8,000 bytes.
  package static let attestationObject = 32_768
  /// The authenticator data of an assertion, which has 37 bytes without extensions.
  package static let authenticatorData = 4096
  /// A signature. An RSA key with 8,192 bits makes the longest signatures.
  package static let signature = 1024
  /// A credential ID (WebAuthn L3 §4, "Credential ID").
  package static let credentialID = 1023
  /// A user handle (WebAuthn L3 §4, "User Handle").
  package static let userHandle = 64
  /// The number of transports, and the length of each in bytes.
  package static let transports = (count: 16, length: 32)
  /// The number of certificates of an attestation. The number of possible chains grows exponentially with this number.
  package static let certificates = 4
}
