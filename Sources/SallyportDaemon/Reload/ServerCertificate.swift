import NIOCore
import NIOSSL
import Synchronization

/// The server's certificate of the moment: connections that begin after a renewal get the new one, and those that are there go on.
final class ServerCertificate: Sendable {
  private let current: Mutex<NIOSSLContextConfigurationOverride>
  private let first: TLSConfiguration

  /// - Throws: ``Failure`` for files that cannot be used.
  init(_ files: CertificateFiles) throws(Failure) {
    self.first = try files.load()
    self.current = Mutex(Self.shown(self.first))
  }

  /// For the server: each handshake asks which certificate it is to show.
  var configuration: TLSConfiguration {
    var configuration = self.first
    configuration.sslContextCallback = { _, promise in promise.succeed(self.current.withLock { $0 }) }
    return configuration
  }

  /// Shows another certificate from now on.
  /// - Throws: ``Failure`` for files that cannot be used; the one before stays.
  func renew(from files: CertificateFiles) throws(Failure) {
    let renewed = Self.shown(try files.load())
    self.current.withLock { $0 = renewed }
  }

  private static func shown(_ configuration: TLSConfiguration) -> NIOSSLContextConfigurationOverride {
    var shown = NIOSSLContextConfigurationOverride()
    shown.certificateChain = configuration.certificateChain
    shown.privateKey = configuration.privateKey
    return shown
  }
}
