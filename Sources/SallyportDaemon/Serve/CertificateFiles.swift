import HummingbirdTLS
import NIOSSL

/// The certificate with which the server speaks TLS itself.
struct CertificateFiles: Sendable, Equatable {
  /// A chain in PEM, the server's own certificate first.
  var certificate: String
  /// In PEM.
  var key: String

  /// - Throws: ``Failure`` for files that cannot be read or do not belong together.
  func load() throws(Failure) -> TLSConfiguration {
    let chain: [NIOSSLCertificate]
    let privateKey: NIOSSLPrivateKey
    do { chain = try NIOSSLCertificate.fromPEMFile(self.certificate) } catch {
      throw Failure("tls.certificate: \(self.certificate) is no certificate in PEM that can be read")
    }
    do { privateKey = try NIOSSLPrivateKey(file: self.key, format: .pem) } catch {
      throw Failure("tls.key: \(self.key) is no private key in PEM that can be read")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    do { _ = try NIOSSLContext(configuration: configuration) } catch {
      throw Failure("tls.key: \(self.key) is not the key of \(self.certificate)")
    }
    return configuration
  }
}
