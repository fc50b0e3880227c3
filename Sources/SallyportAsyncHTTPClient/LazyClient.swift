import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOSSL
import SallyportProtocol
import SallyportRemote
import Synchronization

/// An `HTTPClient` that is created for the first request.
final class LazyClient: Sendable {
  private enum State {
    case idle
    case running(HTTPClient)
    case closed
  }

  private let trustRoots: [String]?
  private let connectTimeout: Duration
  private let addresses: [String: String]
  private let proxy: Proxy?
  private let state = Mutex(State.idle)

  /// - Parameters:
  ///   - trustRoots: PEM files with the trusted root certificates, or `nil` for the system's.
  ///   - connectTimeout: The timeout for establishing a connection.
  ///   - addresses: The IP addresses to use, by host name, instead of resolving the names.
  ///   - proxy: The proxy for all requests, or `nil` for none.
  init(trustRoots: [String]?, connectTimeout: Duration, addresses: [String: String] = [:], proxy: Proxy? = nil) {
    self.addresses = addresses
    self.proxy = proxy
    self.trustRoots = trustRoots
    self.connectTimeout = connectTimeout
  }

  deinit {
    // AsyncHTTPClient requires a shutdown. The client retains itself until the shutdown is complete.
    if let client = self.close() { client.shutdown(queue: .global()) { _ in } }
  }

  /// Returns the client. Creates it if this is the first request.
  func runningClient() throws(TransportError) -> HTTPClient {
    try self.state.withLock { state throws(TransportError) in
      switch state {
      case .running(let client): return client
      case .closed: throw .cancelled
      case .idle:
        let client = try self.makeClient()
        state = .running(client)
        return client
      }
    }
  }

  func shutdown() async {
    // Shutdown fails only if the client is already shut down.
    try? await self.close()?.shutdown()
  }

  private func close() -> HTTPClient? {
    self.state.withLock { state in
      defer { state = .closed }
      if case .running(let client) = state { return client }
      return nil
    }
  }

  private func makeClient() throws(TransportError) -> HTTPClient {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let files = self.trustRoots {
      do {
        tls.trustRoots = .certificates(try files.flatMap { try NIOSSLCertificate.fromPEMFile($0) })
      } catch {
        throw .untrusted(reason: "the files with trusted root certificates cannot be read")
      }
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(self.connectTimeout)), decompression: .disabled)
    configuration.dnsOverride = self.addresses
    configuration.proxy = self.proxy?.configuration
    // Fail immediately if a connection is refused, instead of retrying until the connect timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    // Don't reuse connections that the server may be about to close, because a token request that is lost cannot be
    // repeated.
    configuration.connectionPool.idleTimeout = .seconds(5)
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }
}

extension TimeAmount {
  init(_ duration: Duration) {
    self = .milliseconds(duration.milliseconds)
  }
}
