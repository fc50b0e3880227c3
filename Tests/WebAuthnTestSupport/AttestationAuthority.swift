import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol
package import SallyportWebAuthn
import SwiftASN1
import X509

/// A manufacturer of authenticators: a root certificate, and attestation certificates that it signs.
package struct AttestationAuthority: Sendable {
  /// What an attestation certificate contains. The defaults meet WebAuthn L3 §8.2.1.
  package struct Contents: Sendable {
    package var country: String? = "US"
    package var organization: String? = "Sallyport Test"
    package var unit: String? = "Authenticator Attestation"
    package var name: String? = "Test Authenticator"
    /// Whether the basic constraints say that the certificate is an authority's; nil for no basic constraints.
    package var isAuthority: Bool? = false
    /// The model that the certificate names, if it is not the model of the key.
    package var extensionAAGUID: AAGUID?
    /// Whether the certificate has the extension that names the model.
    package var hasExtension = true
    /// Whether that extension is critical.
    package var isExtensionCritical = false
    /// The period in which the certificate is valid, relative to the time that was passed to the authority's `init`.
    package var validity: ClosedRange<Duration> = .seconds(-3600) ... .seconds(3600)

    package init() {}
  }

  /// The root certificate in DER.
  package let root: [UInt8]
  private let now: Timestamp
  private let key = P256.Signing.PrivateKey()
  private let subject: DistinguishedName

  /// - Parameter now: A time at which the root certificate is valid. The validity of other certificates is relative to
  ///   it.
  package init(at now: Timestamp, name: String = "Sallyport Test Root") throws {
    self.now = now
    self.subject = try DistinguishedName { CommonName(name) }
    self.root = try Self.encode(
      Certificate(
        version: .v3, serialNumber: .init(), publicKey: .init(self.key.publicKey), notValidBefore: (now - .seconds(86_400)).date,
        notValidAfter: (now + .seconds(86_400)).date, issuer: self.subject, subject: self.subject,
        signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try .init {
          Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
          Critical(KeyUsage(keyCertSign: true))
        }, issuerPrivateKey: .init(self.key)))
  }

  /// Creates a key for a model, and a certificate for the key.
  package func attestation(of aaguid: AAGUID, contents: Contents = Contents()) throws -> SoftwareAttestation {
    let key = SoftwareAttestationKey(aaguid: aaguid)
    return .packed(key: key, chain: [try self.certificate(for: key, contents: contents)])
  }

  /// Creates a certificate in DER.
  package func certificate(for key: SoftwareAttestationKey, contents: Contents = Contents()) throws -> [UInt8] {
    var extensions = Certificate.Extensions()
    if let isAuthority = contents.isAuthority {
      let constraints: BasicConstraints = isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
      try extensions.append(Certificate.Extension(constraints, critical: true))
    }
    if contents.hasExtension {
      // The extension id-fido-gen-ce-aaguid. Its value is an octet string (tag 0x04) of 16 bytes.
      try extensions.append(
        Certificate.Extension(
          oid: [1, 3, 6, 1, 4, 1, 45724, 1, 1, 4], critical: contents.isExtensionCritical,
          value: ([0x04, 16] + (contents.extensionAAGUID ?? key.aaguid).bytes)[...]))
    }
    return try Self.encode(
      Certificate(
        version: .v3, serialNumber: .init(), publicKey: .init(key.key.publicKey),
        notValidBefore: (self.now + contents.validity.lowerBound).date,
        notValidAfter: (self.now + contents.validity.upperBound).date, issuer: self.subject,
        subject: try Self.subject(of: contents), signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
        issuerPrivateKey: .init(self.key)))
  }

  private static func subject(of contents: Contents) throws -> DistinguishedName {
    var names: [RelativeDistinguishedName] = []
    if let country = contents.country { names.append(try CountryName(country).makeRDN()) }
    if let organization = contents.organization { names.append(try OrganizationName(organization).makeRDN()) }
    if let unit = contents.unit { names.append(try OrganizationalUnitName(unit).makeRDN()) }
    if let name = contents.name { names.append(try CommonName(name).makeRDN()) }
    return DistinguishedName(names)
  }

  private static func encode(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}
