import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOSSL
import SallyportProtocol
import SallyportRemote
import Synchronization

/// An `HTTPClient` that is made at the first request.
final class LazyClient: Sendable {
  private enum State {
    case idle
    case running(HTTPClient)
    case closed
  }

  private let trustRoots: [String]?
  private let connectTimeout: Duration
  private let addresses: [String: String]
  private let state = Mutex(State.idle)

  /// - Parameter addresses: where the connections to these hosts go, whatever their names stand for.
  init(trustRoots: [String]?, connectTimeout: Duration, addresses: [String: String] = [:]) {
    self.addresses = addresses
    self.trustRoots = trustRoots
    self.connectTimeout = connectTimeout
  }

  deinit {
    // AsyncHTTPClient insists on being shut down; it keeps itself alive until that is done.
    if let client = self.close() { client.shutdown(queue: .global()) { _ in } }
  }

  /// The client, made now if this is the first request.
  func running() throws(TransportError) -> HTTPClient {
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
    // It fails only where it was shut down before, and then all is as it should be.
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
        throw .untrusted(reason: "the trust roots cannot be read")
      }
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(self.connectTimeout)), decompression: .disabled)
    configuration.dnsOverride = self.addresses
    // A refused connection is an answer: the person hears of it at once and not after the connect timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    // A connection that the server may have given up in the meantime would lose a token request, which must not be repeated.
    configuration.connectionPool.idleTimeout = .seconds(5)
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }
}

extension TimeAmount {
  init(_ duration: Duration) {
    self = .milliseconds(duration.milliseconds)
  }
}
