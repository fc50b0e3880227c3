import SallyportProtocol
import SwiftASN1
import X509

/// An attestation statement in the format `packed` (WebAuthn L3 §8.2).
struct PackedAttestation {
  let algorithm: Int64
  let signature: [UInt8]
  /// The attestation certificate and its issuers in DER. Empty for self attestation.
  let certificates: [[UInt8]]

  /// Parses a statement.
  /// - Throws: ``WebAuthnError/malformedAttestationStatement``, ``WebAuthnError/valueTooLong``
  init(_ statement: CBORValue) throws(WebAuthnError) {
    guard let map = statement.mapValue, let algorithm = map["alg"]?.integerValue, let signature = map["sig"]?.bytesValue
    else { throw .malformedAttestationStatement }
    self.algorithm = algorithm
    self.signature = signature
    // A self attestation contains only `alg` and `sig`.
    guard map.count != 2 else {
      self.certificates = []
      return
    }
    guard map.count == 3, let items = map["x5c"]?.arrayValue, !items.isEmpty else { throw .malformedAttestationStatement }
    guard items.count <= WebAuthnLimits.certificates else { throw .valueTooLong }
    let certificates = items.compactMap(\.bytesValue)
    guard certificates.count == items.count else { throw .malformedAttestationStatement }
    self.certificates = certificates
  }

  /// Verifies a self attestation, which the credential's own key signs.
  /// - Throws: ``WebAuthnError/attestationAlgorithmMismatch``, ``WebAuthnError/invalidAttestationSignature``
  func verify(selfAttestationOf signed: [UInt8], by key: CredentialPublicKey) throws(WebAuthnError) {
    guard self.algorithm == key.algorithm.rawValue else { throw .attestationAlgorithmMismatch }
    guard key.isValidSignature(self.signature, for: signed) else { throw .invalidAttestationSignature }
  }

  /// Verifies an attestation with certificates.
  /// - Parameters:
  ///   - signed: The authenticator data, and the hash of the client data.
  ///   - aaguid: The model in the authenticator data, which the certificate must name.
  ///   - roots: The trusted root certificates.
  ///   - now: The time at which the certificates must be valid.
  /// - Throws: ``WebAuthnError/invalidAttestationCertificate``, ``WebAuthnError/attestationAlgorithmMismatch``,
  ///   ``WebAuthnError/invalidAttestationSignature``, ``WebAuthnError/untrustedAttestationCertificate``,
  ///   ``WebAuthnError/attestationModelMismatch``
  func verify(_ signed: [UInt8], of aaguid: AAGUID, roots: [Certificate], at now: Timestamp) async throws(WebAuthnError) {
    guard let chain = try? self.certificates.map({ try Certificate(derEncoded: $0) }), let leaf = chain.first
    else { throw .invalidAttestationCertificate }
    let certificate = try AttestationCertificate(leaf)
    guard self.algorithm == certificate.key.algorithm.rawValue else { throw .attestationAlgorithmMismatch }
    guard certificate.key.isValidSignature(self.signature, for: signed) else { throw .invalidAttestationSignature }
    try await certificate.verifyChain(Array(chain.dropFirst()), to: roots, at: now)
    guard certificate.model == aaguid else { throw .attestationModelMismatch }
  }
}
