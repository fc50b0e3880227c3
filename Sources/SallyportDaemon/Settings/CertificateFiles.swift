import HummingbirdTLS
import NIOSSL

/// The files with the certificate and key of a server that terminates TLS itself.
struct CertificateFiles: Sendable, Equatable {
  /// The path of the certificate chain in PEM format, with the server's own certificate first.
  var certificate: String
  /// The path of the private key in PEM format.
  var key: String

  /// The cipher suites for TLS 1.2 that RFC 9325 §4.2 recommends. The FAPI 2.0 Security Profile (§5.2.2) allows no
  /// other suites. TLS 1.3 has cipher suites of its own, which this list does not affect.
  private static let cipherSuites: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
  ]

  /// - Throws: ``Failure`` if a file cannot be read, or if the key does not match the certificate.
  func load() throws(Failure) -> TLSConfiguration {
    let (chain, privateKey) = (try self.chain(), try self.privateKey())
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuiteValues = Self.cipherSuites
    do { _ = try NIOSSLContext(configuration: configuration) } catch {
      throw Failure("tls.key: \(self.key) does not match the certificate \(self.certificate)")
    }
    return configuration
  }

  /// All mistakes in the files.
  func mistakes() -> [String] {
    var mistakes: [String] = []
    do throws(Failure) { _ = try self.chain() } catch { mistakes.append(error.message) }
    do throws(Failure) { _ = try self.privateKey() } catch { mistakes.append(error.message) }
    guard mistakes.isEmpty else { return mistakes }
    do throws(Failure) { _ = try self.load() } catch { mistakes.append(error.message) }
    return mistakes
  }

  private func chain() throws(Failure) -> [NIOSSLCertificate] {
    do { return try NIOSSLCertificate.fromPEMFile(self.certificate) } catch {
      throw Failure("tls.certificate: \(self.certificate) is not a readable certificate in PEM format")
    }
  }

  private func privateKey() throws(Failure) -> NIOSSLPrivateKey {
    do { return try NIOSSLPrivateKey(file: self.key, format: .pem) } catch {
      throw Failure("tls.key: \(self.key) is not a readable private key in PEM format")
    }
  }
}
