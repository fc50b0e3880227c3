import NIOCore
import NIOSSL
import Synchronization

/// The server's current certificate. After a renewal, new connections use the new certificate, and existing connections
/// continue.
final class ServerCertificate: Sendable {
  private let current: Mutex<NIOSSLContextConfigurationOverride>
  private let initialConfiguration: TLSConfiguration

  /// - Throws: ``Failure`` if the files cannot be used.
  init(_ files: CertificateFiles) throws(Failure) {
    self.initialConfiguration = try files.load()
    self.current = Mutex(Self.contextOverride(self.initialConfiguration))
  }

  /// The TLS configuration of the server. Each handshake uses the current certificate.
  var configuration: TLSConfiguration {
    var configuration = self.initialConfiguration
    configuration.sslContextCallback = { _, promise in promise.succeed(self.current.withLock { $0 }) }
    return configuration
  }

  /// Replaces the certificate.
  /// - Throws: ``Failure`` if the files cannot be used. The current certificate then stays in use.
  func renew(from files: CertificateFiles) throws(Failure) {
    let renewed = Self.contextOverride(try files.load())
    self.current.withLock { $0 = renewed }
  }

  private static func contextOverride(_ configuration: TLSConfiguration) -> NIOSSLContextConfigurationOverride {
    var contextOverride = NIOSSLContextConfigurationOverride()
    contextOverride.certificateChain = configuration.certificateChain
    contextOverride.privateKey = configuration.privateKey
    return contextOverride
  }
}
