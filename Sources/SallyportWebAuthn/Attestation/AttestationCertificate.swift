import Crypto
import CryptoExtras
import SallyportProtocol
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// A certificate that meets the requirements for `packed` attestations (WebAuthn L3 §8.2.1).
struct AttestationCertificate {
  /// The key that signs attestations.
  let key: CredentialPublicKey
  /// The authenticator's model, if the certificate names one.
  let model: AAGUID?
  private let certificate: Certificate

  /// The extension id-fido-gen-ce-aaguid, which contains an AAGUID as an OCTET STRING.
  private static let modelExtension: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4]

  /// - Throws: ``WebAuthnError/invalidAttestationCertificate``
  init(_ certificate: Certificate) throws(WebAuthnError) {
    guard certificate.version == .v3, Self.isValidSubject(certificate.subject), Self.isEndEntity(certificate),
      let key = Self.key(of: certificate)
    else { throw .invalidAttestationCertificate }
    self.certificate = certificate
    self.key = key
    guard let modelExtension = certificate.extensions[oid: Self.modelExtension] else {
      self.model = nil
      return
    }
    // The value is an OCTET STRING in DER: the tag 0x04, the length 16, and the AAGUID.
    guard !modelExtension.critical, modelExtension.value.starts(with: [0x04, 16]),
      let aaguid = AAGUID(modelExtension.value.dropFirst(2))
    else { throw .invalidAttestationCertificate }
    self.model = aaguid
  }

  /// Verifies that a valid chain leads from this certificate to one of the roots (RFC 5280 §6).
  /// - Parameter intermediates: The certificates that the authenticator sent with this one.
  /// - Throws: ``WebAuthnError/untrustedAttestationCertificate``
  func verifyChain(_ intermediates: [Certificate], to roots: [Certificate], at now: Timestamp) async throws(WebAuthnError) {
    var verifier = Verifier(rootCertificates: CertificateStore(roots)) {
      RFC5280Policy(fixedExpiryValidationTime: now.date)
    }
    let result = await verifier.validate(leaf: self.certificate, intermediates: CertificateStore(intermediates))
    guard case .validCertificate = result else { throw .untrustedAttestationCertificate }
  }

  /// Whether the subject has one country with a two-letter code, one organization, one organizational unit with the
  /// required text, and one common name.
  private static func isValidSubject(_ subject: DistinguishedName) -> Bool {
    func value(_ type: ASN1ObjectIdentifier) -> String? {
      let attributes = subject.joined().filter { $0.type == type }
      guard attributes.count == 1, let any = attributes.first.map({ ASN1Any($0.value) }) else { return nil }
      if let text = try? ASN1UTF8String(asn1Any: any) { return String(text) }
      return (try? ASN1PrintableString(asn1Any: any)).map { String($0) }
    }
    return value(.RDNAttributeType.countryName)?.utf8.count == 2
      && value(.RDNAttributeType.organizationName)?.isEmpty == false
      && value(.RDNAttributeType.organizationalUnitName) == "Authenticator Attestation"
      && value(.RDNAttributeType.commonName)?.isEmpty == false
  }

  /// Whether the basic constraints state that the certificate does not belong to a certificate authority. False if
  /// there are no basic constraints.
  private static func isEndEntity(_ certificate: Certificate) -> Bool {
    guard case .notCertificateAuthority? = try? certificate.extensions.basicConstraints else { return false }
    return true
  }

  private static func key(of certificate: Certificate) -> CredentialPublicKey? {
    if let key = P256.Signing.PublicKey(certificate.publicKey) { return .es256(key) }
    if let key = Curve25519.Signing.PublicKey(certificate.publicKey) { return .edDSA(key) }
    return _RSA.Signing.PublicKey(certificate.publicKey).map { .rs256($0) }
  }
}
