import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import NIOSSL
import SwiftASN1
import X509

/// A certificate authority, and a server certificate that it signed, for `localhost` by default.
package struct TestCertificates {
  /// The authority's certificate in PEM format, as in a `trustRoots` file.
  package let authorityPEM: String
  /// The configuration of a TLS server with the server's certificate.
  package let server: TLSConfiguration
  /// The server's certificate and key in PEM format.
  package let serverPEM: (certificate: String, key: String)

  /// - Parameters:
  ///   - host: The host of the server's certificate.
  ///   - otherHosts: More hosts of the server's certificate.
  ///   - address: The bytes of an IP address of the server's certificate.
  ///   - validity: The period in which the server's certificate is valid, in seconds from now.
  package init(
    host: String = "localhost", otherHosts: [String] = [], address: [UInt8]? = nil,
    validFor validity: ClosedRange<Double> = -3600...3600
  ) throws {
    let (authorityKey, key) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    let authority = try DistinguishedName { CommonName("Sallyport test authority") }
    let (from, until) = (Date() + validity.lowerBound, Date() + validity.upperBound)
    let root = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(authorityKey.publicKey), notValidBefore: Date() - 7200,
      notValidAfter: Date() + 7200, issuer: authority, subject: authority, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
      }, issuerPrivateKey: .init(authorityKey))
    let addresses = address.map { [GeneralName.ipAddress(.init(contentBytes: $0[...]))] } ?? []
    let leaf = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: from, notValidAfter: until,
      issuer: authority, subject: try DistinguishedName { CommonName(host) }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try .init { SubjectAlternativeNames(([host] + otherHosts).map { .dnsName($0) } + addresses) },
      issuerPrivateKey: .init(authorityKey))
    self.authorityPEM = try root.serializeAsPEM().pemString
    self.serverPEM = (try leaf.serializeAsPEM().pemString, key.pemRepresentation)
    self.server = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(self.serverPEM.certificate.utf8)).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(self.serverPEM.key.utf8), format: .pem)))
  }

  /// Writes the authority's certificate to a temporary file, passes the path to `body`, and then removes the file.
  package func withTrustRoots<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("sallyport-roots-\(UUID().uuidString).pem")
    try Data(self.authorityPEM.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file.path)
  }
}
