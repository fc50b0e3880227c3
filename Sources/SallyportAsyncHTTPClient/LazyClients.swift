import AsyncHTTPClient
import HTTPTypes
import SallyportRemote
import Synchronization

/// The HTTP clients of a transport: one that connects directly, and one for each proxy.
final class LazyClients: Sendable {
  private let settings: ProxySettings
  private let direct: LazyClient
  private let makeClient: @Sendable (Proxy) -> LazyClient
  /// The clients for proxies; `nil` after the shutdown.
  private let proxied = Mutex<[(proxy: Proxy, client: LazyClient)]?>([])

  init(trustRoots: [String]?, connectTimeout: Duration, proxies: ProxySettings) {
    self.settings = proxies
    self.direct = LazyClient(trustRoots: trustRoots, connectTimeout: connectTimeout)
    self.makeClient = { LazyClient(trustRoots: trustRoots, connectTimeout: connectTimeout, proxy: $0) }
  }

  init(direct: LazyClient) {
    self.settings = .none
    self.direct = direct
    // Never called: without proxy settings, every request uses `direct`.
    self.makeClient = { _ in direct }
  }

  /// Returns the client for a request. Creates it if this is the first request that needs it.
  func client(for request: HTTPRequest) throws(TransportError) -> HTTPClient {
    guard let proxy = try self.settings.proxy(scheme: request.scheme, authority: request.authority) else {
      return try self.direct.runningClient()
    }
    let client: LazyClient? = self.proxied.withLock { proxied in
      if let entry = proxied?.first(where: { $0.proxy == proxy }) { return entry.client }
      guard proxied != nil else { return nil }
      let client = self.makeClient(proxy)
      proxied?.append((proxy, client))
      return client
    }
    guard let client else { throw .cancelled }
    return try client.runningClient()
  }

  func shutdown() async {
    await self.direct.shutdown()
    let proxied = self.proxied.withLock { proxied in
      defer { proxied = nil }
      return proxied ?? []
    }
    for (_, client) in proxied { await client.shutdown() }
  }
}
